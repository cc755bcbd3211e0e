//! The scores S* of the teacher: from a task, from classes, or from a matrix, always reduced to
//! classes of columns that are permutations of one another.

use std::collections::{BTreeMap, HashMap, HashSet};

use popgd_core::Error;
use popgd_core::model::teacher;

use super::tree::{Kind, Node};
use super::values::{Values, integer_of};
use crate::error::Failure;
use crate::number::Exact;
use crate::output::digits::grouped;
use crate::presets::{self, Preset};
use crate::settings::{ClassSettings, LevelSettings, Matrix, Task};

/// Counts up to here are exact in an `f64`.
pub const MAX_TOKENS: u64 = 1 << 53;

/// A dense run holds several D × D matrices: beyond this they would not fit into memory.
pub const MAX_DENSE_TOKENS: u64 = 4096;

/// Columns of S* may miss the sum 1 by this much, 10^−12.
const SUM_TOLERANCE: (u64, u64) = (1, 1_000_000_000_000);

/// What the teacher looks at.
#[derive(Clone, Debug)]
pub struct Target {
    /// Where it comes from.
    pub task: Task,
    /// D.
    pub tokens: u64,
    /// K, if all columns have the same number of equal positive weights.
    pub group: Option<u64>,
    /// The classes of columns, each with its levels in decreasing weight.
    pub classes: Vec<ClassSettings>,
    /// Where each of these levels stood in the input, level after level, class after class.
    pub order: Vec<usize>,
    /// Which tokens they are.
    pub layout: Layout,
}

/// Which tokens have which weights; only full matrices care.
#[derive(Clone, Debug)]
pub enum Layout {
    /// Consecutive groups.
    Consecutive,
    /// The group of every token.
    Partition(Vec<usize>),
    /// Neighbours on a circle, as many as the group asks for.
    Circle,
    /// Neighbours on a circle at these distances.
    Offsets(Vec<usize>),
    /// The edges of a graph.
    Edges(Vec<(usize, usize)>),
    /// The same tokens for every query.
    Selection,
    /// A matrix.
    Matrix(Matrix),
    /// Any tokens: the levels of a class one after the other.
    Any,
}

impl Target {
    /// As given.
    ///
    /// # Errors
    /// Everything that can be wrong with it.
    pub fn resolve(values: &Values) -> Result<Self, Failure> {
        if values.has("s") || values.has("classes") {
            refuse_foreign(values, &["partition", "edges", "adjacency", "offsets"])?;
            let target = if values.has("s") { from_matrix(values)? } else { from_classes(values)? };
            agree(values, "tokens", Some(target.tokens), "the tokens of the given scores")?;
            agree(values, "group", target.group, "the group size of the given scores")?;
            return Ok(target);
        }
        let preset = task(values)?;
        match preset.task {
            Task::Cnn => refuse_foreign(values, &["edges", "adjacency", "offsets"])?,
            Task::Gcn => refuse_foreign(values, &["partition"])?,
            _ => refuse_foreign(values, &["partition", "edges", "adjacency", "offsets"])?,
        }
        let (tokens, group, layout) = match preset.task {
            Task::Cnn if values.has("partition") => partition(values)?,
            Task::Gcn if values.has("edges") || values.has("adjacency") => graph(values)?,
            Task::Gcn if values.has("offsets") => offsets(values, &preset)?,
            _ => {
                let (tokens, group) = sizes(values, &preset)?;
                let layout = match preset.task {
                    Task::Gcn => Layout::Circle,
                    Task::Sts | Task::Gslp => Layout::Selection,
                    _ => Layout::Consecutive,
                };
                check_sizes(values, preset.task, tokens, group)?;
                (tokens, group, layout)
            }
        };
        let classes = vec![two_level(tokens, group)];
        let order = identity_order(&classes);
        Ok(Self { task: preset.task, tokens, group: Some(group), classes, order, layout })
    }

    /// S* in full, as on paper: row i, column j.
    ///
    /// # Errors
    /// Too many tokens to hold it.
    pub fn matrix(&self, values: &Values) -> Result<Matrix, Failure> {
        let side = dense_side(values, self.tokens)?;
        if let Layout::Matrix(matrix) = &self.layout {
            return Ok(matrix.clone());
        }
        if let Layout::Any = self.layout {
            return Ok(arranged(&self.classes, side));
        }
        // The core marks who attends to whom, one row a query; the weight is exact.
        let group = self.group.unwrap_or(1);
        let size = usize::try_from(group).unwrap_or(usize::MAX);
        let mut marks = vec![0.0_f64; side * side];
        let done: Result<(), Error> = match &self.layout {
            Layout::Partition(labels) => {
                teacher::partition_pooling(1.0, labels, &mut marks).map(drop)
            }
            Layout::Circle => {
                teacher::circulant_convolution(1.0, side, &circle(side, size), &mut marks).map(drop)
            }
            Layout::Offsets(offsets) => {
                teacher::circulant_convolution(1.0, side, offsets, &mut marks).map(drop)
            }
            Layout::Edges(edges) => {
                teacher::graph_convolution(1.0, side, edges, &mut marks).map(drop)
            }
            Layout::Selection => {
                let selected: Vec<usize> = (0..size).collect();
                teacher::token_selection(1.0, side, &selected, &mut marks)
            }
            _ => teacher::average_pooling(1.0, side, size, &mut marks),
        };
        done.map_err(|error| Failure::usage(error.to_string()))?;
        let weight = share(group);
        let zero = Exact::zero();
        let entry = |row: usize, column: usize| match marks.get(column * side + row) {
            Some(&mark) if mark != 0.0 => weight.clone(),
            _ => zero.clone(),
        };
        let entries = (0..side)
            .flat_map(|row| (0..side).map(move |column| (row, column)))
            .map(|(row, column)| entry(row, column));
        Ok(Matrix { rows: side, columns: side, entries: entries.collect() })
    }

    /// Whether every column has at most one positive weight, so that c and the logits do not
    /// couple near the optimum.
    pub fn is_uniform(&self) -> bool {
        self.classes
            .iter()
            .all(|class| class.levels.iter().filter(|level| !level.weight.is_zero()).count() == 1)
    }

    /// Whether column `column` of S* has all weights equal, 1/D. Where it is not known which
    /// column has which weights, whether any has.
    pub fn is_flat(&self, column: usize) -> bool {
        if let Layout::Matrix(matrix) = &self.layout {
            let mut entries = matrix.entries.iter().skip(column).step_by(matrix.columns.max(1));
            let first = entries.next();
            return entries.all(|entry| Some(entry) == first);
        }
        self.classes.iter().any(|class| class.levels.len() == 1)
    }

    /// Σ_j ‖s*_j‖².
    pub fn square_norm(&self) -> Exact {
        self.classes
            .iter()
            .map(|class| {
                let column: Exact = class
                    .levels
                    .iter()
                    .map(|level| &Exact::integer(level.count) * &level.weight.square())
                    .sum();
                &Exact::integer(class.count) * &column
            })
            .sum()
    }

    /// The largest weight of all.
    pub fn largest_weight(&self) -> Exact {
        let levels = self.classes.iter().flat_map(|class| &class.levels);
        levels.map(|level| level.weight.clone()).max().unwrap_or_else(Exact::zero)
    }

    /// The largest weight that two or more tokens of a column share; 0 if none does.
    pub fn shared_weight(&self) -> Exact {
        let levels = self.classes.iter().flat_map(|class| &class.levels);
        levels
            .filter(|level| level.count > 1)
            .map(|level| level.weight.clone())
            .max()
            .unwrap_or_else(Exact::zero)
    }
}

/// D as the side of a matrix.
///
/// # Errors
/// More than a dense run can hold.
pub fn dense_side(values: &Values, tokens: u64) -> Result<usize, Failure> {
    match usize::try_from(tokens) {
        Ok(side) if tokens <= MAX_DENSE_TOKENS => Ok(side),
        _ => Err(values.fail(
            "tokens",
            format_args!(
                "a dense run holds D × D matrices, and {tokens} tokens are too many: expected at \
                 most {MAX_DENSE_TOKENS}, or --method lumped"
            ),
        )),
    }
}

/// The task, by name or preset.
fn task(values: &Values) -> Result<Preset, Failure> {
    let task = values.choice("task", &crate::cli::TASKS)?;
    let preset = values.choice("preset", &crate::cli::TASKS)?;
    if let (Some(task), Some(preset)) = (task, preset)
        && task != preset
    {
        let message = format!(
            "the preset {preset} has the task {preset}, not {task}; leave out {} or {}",
            values.label("preset"),
            values.label("task")
        );
        return Err(values.fail("preset", message));
    }
    let name = preset.or(task).unwrap_or("cnn");
    Ok(presets::named(name).unwrap_or_else(|| presets::of(Task::Cnn)))
}

/// Keys that say something about another task.
fn refuse_foreign(values: &Values, keys: &[&str]) -> Result<(), Failure> {
    for key in keys {
        if values.has(key) {
            let owner = if *key == "partition" { "cnn" } else { "gcn" };
            return Err(values.fail(
                key,
                format_args!(
                    "belongs to the task {owner} only: give --task {owner}, or leave it out"
                ),
            ));
        }
    }
    Ok(())
}

/// A given size must be the one that follows from the rest.
fn agree(values: &Values, key: &str, expected: Option<u64>, of: &str) -> Result<(), Failure> {
    let Some(given) = values.integer(key)? else { return Ok(()) };
    match expected {
        Some(expected) if expected == given => Ok(()),
        Some(expected) => Err(values.fail(
            key,
            format_args!("expected {expected}, {of}, found {given}; it may be left out"),
        )),
        None => Err(values.fail(
            key,
            format_args!(
                "the given scores have no common group size: leave it out (found {given})"
            ),
        )),
    }
}

fn sizes(values: &Values, preset: &Preset) -> Result<(u64, u64), Failure> {
    let tokens = values.integer("tokens")?.unwrap_or(preset.tokens);
    let group = values.integer("group")?.unwrap_or(preset.group);
    if tokens == 0 {
        return Err(values.fail("tokens", "expected at least 1, found 0"));
    }
    if tokens > MAX_TOKENS {
        return Err(values.fail("tokens", format_args!("expected at most 2^53, found {tokens}")));
    }
    if group == 0 || group > tokens {
        let message = format!("expected 1 to {tokens}, the number of tokens, found {group}");
        return Err(values.fail("group", message));
    }
    Ok((tokens, group))
}

/// What a task asks of its sizes.
fn check_sizes(values: &Values, task: Task, tokens: u64, group: u64) -> Result<(), Failure> {
    match task {
        Task::Cnn if !tokens.is_multiple_of(group) => {
            let fewer = tokens - tokens % group;
            let key = if values.has("group") { "group" } else { "tokens" };
            let message = format!(
                "average pooling needs groups of equal size, and {tokens} tokens are no multiple \
                 of {group}: choose --tokens {fewer} or {}, or another --group",
                fewer + group
            );
            Err(values.fail(key, message))
        }
        Task::Gcn if group.is_multiple_of(2) && !tokens.is_multiple_of(2) => {
            let message = format!(
                "a graph of {} vertices in which each has {} does not exist: with an even --group \
                 the number of --tokens must be even",
                grouped(tokens),
                neighbours(group - 1)
            );
            Err(values.fail("group", message))
        }
        Task::Gslp if group != 1 => {
            let message = format!(
                "the task gslp selects one token: expected 1, found {group}; use --task \
                 sts for more"
            );
            Err(values.fail("group", message))
        }
        _ => Ok(()),
    }
}

/// `1 neighbour`, `2 neighbours`.
fn neighbours(count: u64) -> String {
    format!("{} {}", grouped(count), if count == 1 { "neighbour" } else { "neighbours" })
}

/// The distances on a circle of so many tokens that give everyone K − 1 neighbours.
fn circle(tokens: usize, group: usize) -> Vec<usize> {
    let mut offsets: Vec<usize> = (1..=(group.saturating_sub(1)) / 2).collect();
    if group.is_multiple_of(2) {
        offsets.push(tokens / 2);
    }
    offsets
}

/// Tokens by the label of their group.
fn partition(values: &Values) -> Result<(u64, u64, Layout), Failure> {
    let labels = indices(values, "partition")?;
    let tokens = count(labels.len());
    if labels.is_empty() {
        return Err(
            values.fail("partition", "expected the label of the group of every token, found none")
        );
    }
    agree(values, "tokens", Some(tokens), "the length of the partition")?;
    let mut sizes: BTreeMap<usize, u64> = BTreeMap::new();
    for &label in &labels {
        *sizes.entry(label).or_default() += 1;
    }
    let group = labels.first().and_then(|first| sizes.get(first)).copied().unwrap_or(1);
    if let Some((label, size)) = sizes.iter().find(|&(_, &size)| size != group) {
        let first = labels.first().copied().unwrap_or(0);
        let message = format!(
            "all groups must have the same size: group {first} has {group} tokens, group \
             {label} has {size}"
        );
        return Err(values.fail("partition", message));
    }
    agree(values, "group", Some(group), "the size of the groups of the partition")?;
    Ok((tokens, group, Layout::Partition(labels)))
}

/// A graph by its edges or its adjacency matrix.
fn graph(values: &Values) -> Result<(u64, u64, Layout), Failure> {
    let (key, tokens, edges) = if values.has("adjacency") {
        let (tokens, edges) = adjacency(values)?;
        agree(values, "tokens", Some(count(tokens)), "the side of the adjacency matrix")?;
        ("adjacency", tokens, edges)
    } else {
        let edges = edges(values)?;
        let highest = edges.iter().map(|&(from, to)| from.max(to)).max().unwrap_or(0);
        let tokens = match values.integer("tokens")? {
            Some(tokens) => usize::try_from(tokens).unwrap_or(usize::MAX),
            None => highest + 1,
        };
        if highest >= tokens {
            let message = format!(
                "vertex {highest} does not exist: the {tokens} vertices are numbered from 0"
            );
            return Err(values.fail("edges", message));
        }
        ("edges", tokens, edges)
    };
    let mut degrees: HashMap<usize, u64> = HashMap::new();
    for &(from, to) in &edges {
        *degrees.entry(from).or_default() += 1;
        *degrees.entry(to).or_default() += 1;
    }
    let degree = |vertex: usize| degrees.get(&vertex).copied().unwrap_or(0);
    let expected = degree(0);
    // Vertices without an edge are not in the map.
    let missing = degrees.len() < tokens && expected > 0;
    let wrong = degrees.keys().copied().filter(|&vertex| degree(vertex) != expected).min();
    let lonely = || (0..tokens).find(|vertex| !degrees.contains_key(vertex));
    if let Some(vertex) = wrong.or_else(|| if missing { lonely() } else { None }) {
        let message = format!(
            "the graph must be regular: vertex 0 has {}, vertex {vertex} has {}",
            neighbours(expected),
            degree(vertex)
        );
        return Err(values.fail(key, message));
    }
    let group = expected + 1;
    agree(values, "group", Some(group), "one more than the number of neighbours in the graph")?;
    Ok((count(tokens), group, Layout::Edges(edges)))
}

fn edges(values: &Values) -> Result<Vec<(usize, usize)>, Failure> {
    let Some(table) = values.table("edges")? else { return Ok(Vec::new()) };
    if table.rows.is_empty() {
        return Err(table.fail_all("expected at least one edge, a pair of vertices, found none"));
    }
    let place = table.place.clone();
    let matrix = table.matrix()?;
    if matrix.columns != 2 {
        let message =
            format!("{place}: expected pairs of vertices, found rows of {}", matrix.columns);
        return Err(Failure::usage(message));
    }
    let mut seen = HashSet::new();
    let mut edges = Vec::new();
    for (row, pair) in matrix.entries.chunks(2).enumerate() {
        let fail = |message: String| Failure::usage(format!("{place}, row {}: {message}", row + 1));
        let vertex = |at: usize| {
            pair.get(at)
                .and_then(Exact::to_integer)
                .and_then(|vertex| usize::try_from(vertex).ok())
                .filter(|&vertex| vertex < usize::MAX)
                .ok_or_else(|| fail("expected two vertices, numbered from 0".to_owned()))
        };
        let (from, to) = (vertex(0)?, vertex(1)?);
        if from == to {
            return Err(fail(format!(
                "vertex {from} is joined to itself: self-loops are added anyway, leave them out"
            )));
        }
        if !seen.insert((from.min(to), from.max(to))) {
            return Err(fail(format!(
                "the edge {from}–{to} is given twice; each is given once, in either direction"
            )));
        }
        edges.push((from, to));
    }
    Ok(edges)
}

fn adjacency(values: &Values) -> Result<(usize, Vec<(usize, usize)>), Failure> {
    let Some(table) = values.table("adjacency")? else { return Ok((0, Vec::new())) };
    let place = table.place.clone();
    let matrix = table.matrix()?;
    let side = matrix.rows;
    if matrix.columns != side {
        let message =
            format!("{place}: expected a square matrix, found {side} × {}", matrix.columns);
        return Err(Failure::usage(message));
    }
    let (zero, one) = (Exact::zero(), Exact::one());
    let entry =
        |row: usize, column: usize| matrix.entries.get(row * side + column).unwrap_or(&zero);
    let fail = |row: usize, column: usize, message: String| {
        Failure::usage(format!("{place}, row {}, column {}: {message}", row + 1, column + 1))
    };
    let mut edges = Vec::new();
    for row in 0..side {
        for column in 0..side {
            let value = entry(row, column);
            if *value != zero && *value != one {
                return Err(fail(row, column, format!("expected 0 or 1, found {value}")));
            }
            if value != entry(column, row) {
                return Err(fail(
                    row,
                    column,
                    "the matrix is not symmetric: the graph is undirected".to_owned(),
                ));
            }
            if row == column && value != entry(0, 0) {
                return Err(fail(
                    row,
                    column,
                    "expected self-loops for all vertices or for none".to_owned(),
                ));
            }
            if row < column && *value == one {
                edges.push((row, column));
            }
        }
    }
    Ok((side, edges))
}

/// A graph on a circle by its distances.
fn offsets(values: &Values, preset: &Preset) -> Result<(u64, u64, Layout), Failure> {
    let offsets = indices(values, "offsets")?;
    let tokens = values.integer("tokens")?.unwrap_or(preset.tokens);
    if tokens == 0 || tokens > MAX_TOKENS {
        return Err(values.fail("tokens", format_args!("expected 1 to 2^53, found {tokens}")));
    }
    let mut group = 1_u64;
    let mut seen = HashSet::new();
    for &offset in &offsets {
        let step = count(offset) % tokens;
        let reach = step.min(tokens - step);
        if reach == 0 || !seen.insert(reach) {
            let message = format!(
                "on a circle of {tokens} tokens the offset {offset} reaches no new neighbour: \
                 expected different ones from 1 to {}",
                tokens / 2
            );
            return Err(values.fail("offsets", message));
        }
        group += if reach * 2 == tokens { 1 } else { 2 };
    }
    agree(
        values,
        "group",
        Some(group),
        "one more than the number of neighbours that the offsets give",
    )?;
    Ok((tokens, group, Layout::Offsets(offsets)))
}

/// A list of numbers from 0 on, inline or in a file.
fn indices(values: &Values, key: &str) -> Result<Vec<usize>, Failure> {
    let is_list = |node: &Node| match &node.kind {
        Kind::Text(text) => text.contains(',') || Exact::parse(text).is_ok(),
        Kind::Number(_) => true,
        _ => false,
    };
    if values.get(key).is_some_and(|given| is_list(&given.node)) {
        let items = values.list(key).unwrap_or_default();
        let index = |item: &Node| {
            let value = integer_of(item).map_err(|message| values.fail(key, message))?;
            usize::try_from(value).map_err(|_| values.fail(key, "too large"))
        };
        return items.iter().map(index).collect();
    }
    let Some(table) = values.table(key)? else { return Ok(Vec::new()) };
    let place = table.place.clone();
    let index = |(at, value): (usize, &Exact)| {
        value.to_integer().and_then(|value| usize::try_from(value).ok()).ok_or_else(|| {
            Failure::usage(format!(
                "{place}: entry {}: expected an integer from 0 on, found {value}",
                at + 1
            ))
        })
    };
    table.list()?.iter().enumerate().map(index).collect()
}

/// Classes as given.
fn from_classes(values: &Values) -> Result<Target, Failure> {
    const KEY: &str = "classes";
    let items = match values.get(KEY).map(|given| &given.node) {
        Some(Node { kind: Kind::List(items), .. }) if !items.is_empty() => items.clone(),
        _ => {
            let message = "expected a list of classes, such as \
                           [{ count = 8, levels = [{ count = 2, weight = 0.5 }, \
                           { count = 6, weight = 0 }] }]";
            return Err(values.fail(KEY, message));
        }
    };
    let positive = |node: &Node, what: &str| match integer_of(node) {
        Ok(0) => {
            Err(values.fail(KEY, format_args!("{what}: expected a count of at least 1, found 0")))
        }
        Ok(value) => Ok(value),
        Err(message) => Err(values.fail(KEY, format_args!("{what}: {message}"))),
    };
    let mut classes = Vec::new();
    let mut order = Vec::new();
    let mut tokens: Option<u64> = None;
    let mut columns = 0_u64;
    for (index, item) in items.iter().enumerate() {
        let name = format!("class {}", index + 1);
        let fields = values.fields(KEY, item, &["count", "levels"])?;
        let (Some(own), Some(levels)) = (fields.get("count"), fields.get("levels")) else {
            continue;
        };
        let class_count = positive(own, &name)?;
        let Kind::List(items) = &levels.kind else {
            let message = format!("{name}: expected a list of levels, found {}", levels.name());
            return Err(values.fail(KEY, message));
        };
        let mut read = Vec::new();
        for (place, item) in items.iter().enumerate() {
            let name = format!("{name}, level {}", place + 1);
            let fields = values.fields(KEY, item, &["count", "weight"])?;
            let (Some(own), Some(weight)) = (fields.get("count"), fields.get("weight")) else {
                continue;
            };
            let level_count = positive(own, &name)?;
            let weight = values
                .number_of(weight)
                .map_err(|message| values.fail(KEY, format_args!("{name}: {message}")))?;
            if weight.is_negative() {
                let message = format!("{name}: expected a weight of at least 0, found {weight}");
                return Err(values.fail(KEY, message));
            }
            read.push((LevelSettings { count: level_count, weight }, order.len() + place));
        }
        let sum: Exact =
            read.iter().map(|(level, _)| &Exact::integer(level.count) * &level.weight).sum();
        check_sum(&sum).map_err(|message| {
            values.fail(KEY, format_args!("{name}: Σ count · weight {message}"))
        })?;
        let size = read
            .iter()
            .try_fold(0_u64, |sum, (level, _)| sum.checked_add(level.count))
            .filter(|&size| size <= MAX_TOKENS)
            .ok_or_else(|| values.fail(KEY, format_args!("{name}: more than 2^53 tokens")))?;
        let expected = *tokens.get_or_insert(size);
        if size != expected {
            let tokens = if expected == 1 { "token" } else { "tokens" };
            let message =
                format!("{name}: expected {expected} {tokens} as in class 1, found {size}");
            return Err(values.fail(KEY, message));
        }
        columns = columns.saturating_add(class_count);
        read.sort_by(|(a, _), (b, _)| b.weight.cmp(&a.weight));
        order.extend(read.iter().map(|&(_, from)| from));
        classes.push(ClassSettings {
            count: class_count,
            levels: read.into_iter().map(|(level, _)| level).collect(),
        });
    }
    let tokens = tokens.unwrap_or(0);
    if columns != tokens {
        let message = format!(
            "S* is square: expected {tokens} {} in all classes, as many as there are tokens, \
             found {columns}",
            if tokens == 1 { "column" } else { "columns" }
        );
        return Err(values.fail(KEY, message));
    }
    // A start may tell equal levels, and equal classes, apart.
    if !values.has("state") {
        classes = merged(classes);
        order = identity_order(&classes);
    }
    let group = common_group(&classes);
    Ok(Target { task: Task::Custom, tokens, group, classes, order, layout: Layout::Any })
}

/// Equal levels of a class in one, and equal classes in one.
fn merged(classes: Vec<ClassSettings>) -> Vec<ClassSettings> {
    let mut result: Vec<ClassSettings> = Vec::new();
    for class in classes {
        let mut levels: Vec<LevelSettings> = Vec::new();
        for level in class.levels {
            match levels.last_mut() {
                Some(last) if last.weight == level.weight => last.count += level.count,
                _ => levels.push(level),
            }
        }
        match result.iter_mut().find(|known| known.levels == levels) {
            Some(known) => known.count += class.count,
            None => result.push(ClassSettings { count: class.count, levels }),
        }
    }
    result
}

/// The matrix s, reduced to classes.
fn from_matrix(values: &Values) -> Result<Target, Failure> {
    let Some(table) = values.table("s")? else {
        return Err(values.fail("s", "expected a matrix"));
    };
    let place = table.place.clone();
    let matrix = table.matrix()?;
    let side = matrix.rows;
    if matrix.columns != side {
        return Err(Failure::usage(format!(
            "{place}: expected a square matrix, D × D, found {side} × {}",
            matrix.columns
        )));
    }
    let mut classes: Vec<ClassSettings> = Vec::new();
    let mut known: HashMap<Vec<LevelSettings>, usize> = HashMap::new();
    for column in 0..side {
        let mut weights: BTreeMap<&Exact, u64> = BTreeMap::new();
        for (row, weight) in matrix.entries.iter().skip(column).step_by(side).enumerate() {
            if weight.is_negative() {
                return Err(Failure::usage(format!(
                    "{place}, row {}, column {}: expected a weight of at least 0, found {weight}",
                    row + 1,
                    column + 1
                )));
            }
            *weights.entry(weight).or_default() += 1;
        }
        let sum: Exact =
            weights.iter().map(|(&weight, &count)| &Exact::integer(count) * weight).sum();
        check_sum(&sum).map_err(|message| {
            Failure::usage(format!("{place}, column {}: {message}", column + 1))
        })?;
        // In decreasing weight: zero comes last.
        let levels: Vec<LevelSettings> = weights
            .into_iter()
            .rev()
            .map(|(weight, count)| LevelSettings { count, weight: weight.clone() })
            .collect();
        match known.get(&levels).and_then(|&at| classes.get_mut(at)) {
            Some(class) => class.count += 1,
            None => {
                known.insert(levels.clone(), classes.len());
                classes.push(ClassSettings { count: 1, levels });
            }
        }
    }
    let group = common_group(&classes);
    let order = identity_order(&classes);
    let layout = Layout::Matrix(matrix);
    Ok(Target { task: Task::Custom, tokens: count(side), group, classes, order, layout })
}

fn check_sum(sum: &Exact) -> Result<(), String> {
    let (numerator, denominator) = SUM_TOLERANCE;
    let tolerance = Exact::ratio(numerator, denominator).unwrap_or_else(Exact::zero);
    if (sum - &Exact::one()).abs() <= tolerance {
        Ok(())
    } else {
        Err(format!("sums to {}, expected 1 within 1e-12", sum.to_f64()))
    }
}

/// K, if every column has the same number of positive weights, all equal.
fn common_group(classes: &[ClassSettings]) -> Option<u64> {
    let mut sizes = classes.iter().map(|class| {
        let mut positive = class.levels.iter().filter(|level| !level.weight.is_zero());
        match (positive.next(), positive.next()) {
            (Some(level), None) => Some(level.count),
            _ => None,
        }
    });
    let first = sizes.next()??;
    sizes.all(|size| size == Some(first)).then_some(first)
}

/// D columns with K weights 1/K.
fn two_level(tokens: u64, group: u64) -> ClassSettings {
    let inside = LevelSettings { count: group, weight: share(group) };
    let outside = LevelSettings { count: tokens - group, weight: Exact::zero() };
    let levels = if outside.count == 0 { vec![inside] } else { vec![inside, outside] };
    ClassSettings { count: tokens, levels }
}

/// 1/K.
fn share(group: u64) -> Exact {
    Exact::ratio(1, group).unwrap_or_else(Exact::one)
}

/// A matrix with these classes of columns, the levels of each one after the other.
fn arranged(classes: &[ClassSettings], side: usize) -> Matrix {
    let mut entries = vec![Exact::zero(); side * side];
    let mut column = 0;
    for class in classes {
        for _ in 0..class.count {
            let mut row = 0;
            for level in &class.levels {
                for _ in 0..level.count {
                    if let Some(slot) = entries.get_mut(row * side + column) {
                        *slot = level.weight.clone();
                    }
                    row += 1;
                }
            }
            column += 1;
        }
    }
    Matrix { rows: side, columns: side, entries }
}

fn identity_order(classes: &[ClassSettings]) -> Vec<usize> {
    (0..classes.iter().map(|class| class.levels.len()).sum()).collect()
}

/// A number of things in memory; it always fits.
fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
