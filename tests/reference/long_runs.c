/* Two-level runs in 113-bit arithmetic (34 digits), straight from the recursion of note 2 in c and
 * the gap delta of the logits: independent of popgd's code and of its coordinates.
 *
 *   gcc -O2 -o long_runs long_runs.c -lquadmath && ./long_runs > long_runs.json
 *
 * 200 stable configurations drawn with a fixed seed, each run until tan(theta) <= 0.1 and 100,000
 * steps beyond; then the runs named in main(), up to a million steps.
 */
#include <quadmath.h>
#include <stdint.h>
#include <stdio.h>

typedef __float128 real;

static uint64_t state = 20260322;

static uint64_t draw(uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

struct config {
    long tokens, group;
    long slope;          /* tenths */
    long contraction;    /* hundredths: lambda */
    long norm;           /* |V*| */
    long gain, gain_den; /* kappa */
};

struct run {
    real D, K, s, g, b, eta, kappa, v2, c, delta;
};

static void print(const char *name, real x) {
    char text[64];
    quadmath_snprintf(text, sizeof text, "%.31Qe", x);
    printf(", \"%s\": \"%s\"", name, text);
}

static void parts(const struct run *p, real *x, real *norm, real *kernel_gap, real *sine) {
    real r = sqrtq((p->D - p->K) / p->K), q = expq(-p->delta), N = p->K + (p->D - p->K) * q;
    *x = q * r;
    *norm = sqrtq(p->K + (p->D - p->K) * q * q) / N;
    real theta = atanq(*x), half = sinq(theta / 2);
    *sine = sinq(theta);
    *kernel_gap = p->g * 2 * half * half - p->b * (*sine - theta * cosq(theta));
}

static void start(struct run *p, const struct config *f) {
    p->D = f->tokens;
    p->K = f->group;
    p->s = (real)f->slope / 10;
    p->g = (1 + p->s * p->s) / 2;
    p->b = 2 * ((1 - p->s) / 2) * ((1 - p->s) / 2) / M_PIq;
    p->eta = (real)f->contraction / 100 * p->K / (p->g * p->D);
    p->kappa = (real)f->gain / f->gain_den;
    p->v2 = (real)f->norm * f->norm;
    /* The first step from zero: eta sigma'(0) alpha, with sigma'(0) = 1. */
    p->c = p->eta * (1 + p->s) / 2;
    p->delta = 0;
}

static void step(struct run *p) {
    real x, norm, gap, sine;
    parts(p, &x, &norm, &gap, &sine);
    real target = 1 / sqrtq(p->K), q = expq(-p->delta);
    real N = p->K + (p->D - p->K) * q, out = q / N, a = (p->D - p->K) * q / N;
    real best = target * (p->g - gap) / (p->g * norm);
    real mean = p->g * p->c * norm * norm * (p->c - best);
    real outside = p->c * out * (p->g * p->c - p->b * sine * target / norm);
    real c = p->c - p->eta * p->D * p->g * norm * norm * (p->c - best);
    p->delta += p->eta * p->kappa * p->v2 * (p->D * a / (p->K * (p->D - p->K))) * (outside - mean);
    p->c = c;
}

static void row(const struct run *p, long t, int first) {
    real x, norm, gap, sine;
    parts(p, &x, &norm, &gap, &sine);
    real target = 1 / sqrtq(p->K), size = p->c * norm, q = expq(-p->delta);
    real a = (p->D - p->K) * q / (p->K + (p->D - p->K) * q);
    real excess = p->v2 * p->D * (p->g * (size - target) * (size - target) / 2 + size * target * gap);
    printf("%s\n      {\"t\": %ld", first ? "" : ",", t);
    print("c", p->c);
    print("gap", p->delta);
    print("excess_loss", excess);
    print("score_error", sqrtq(p->D * a * a * (1 / p->K + 1 / (p->D - p->K))));
    print("value_error", fabsq(p->c - 1) * sqrtq(p->v2));
    printf("}");
}

/* Rows at 1, 10, 100, ... and from the first step with x <= 0.1 on; or up to `last` if that is given. */
static void record(const struct config *f, long last, int first) {
    struct run p;
    start(&p, f);
    long den = f->tokens * (100 + f->slope * f->slope);
    printf("%s\n  {\"tokens\": %ld, \"group\": %ld, \"slope\": \"%ld/10\", \"teacher_norm\": \"%ld\",",
           first ? "" : ",", f->tokens, f->group, f->slope, f->norm);
    printf("\n    \"logit_gain\": \"%ld/%ld\", \"rate\": \"%ld/%ld\", \"rows\": [", f->gain, f->gain_den,
           2 * f->contraction * f->group, den);
    real r = sqrtq((p.D - p.K) / p.K);
    long late = 0, end = last ? last : -1, t = 1;
    for (long mark = 1, shown = 0;; t++) {
        if (!last && !late && expq(-p.delta) * r <= 0.1Q) {
            late = t;
            end = t + 100000;
        }
        long since = t - late;
        int wanted = t == mark || t == end ||
                     (late && (since == 0 || since == 1000 || since == 10000));
        if (wanted) row(&p, t, !shown++);
        if (t == mark) mark *= 10;
        if (t == end) break;
        step(&p);
    }
    printf("\n    ]}");
}

int main(void) {
    static const long slopes[] = {10, 3, 0, -5, -9, 1, 20, 5};
    printf("[");
    for (int i = 0; i < 200; i++) {
        struct config f;
        f.tokens = 3 + (long)draw(i % 4 == 0 ? 200 : 30);
        f.group = 1 + (long)draw(f.tokens - 1);
        f.slope = slopes[draw(8)];
        f.contraction = 20 + (long)draw(171);
        f.norm = 1 + (long)draw(3);
        /* kappa v^2 / K^2 between 0.02 and 0.2 */
        f.gain = (2 + (long)draw(19)) * f.group * f.group;
        f.gain_den = 100 * f.norm * f.norm;
        record(&f, 0, i == 0);
    }
    for (int k = 0; k < 2; k++) {
        static const long lambdas[] = {40, 100, 150, 190};
        for (int i = 0; i < 4; i++) {
            struct config relu = {16, 4, 0, lambdas[i], 1, 1, 16};
            struct config identity = {8, 2, 10, lambdas[i], 1, 1, 8};
            record(k ? &identity : &relu, 1000000, 0);
        }
    }
    printf("\n]\n");
}
