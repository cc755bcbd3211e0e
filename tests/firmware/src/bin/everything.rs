//! All that is compared.
#![cfg_attr(any(target_os = "none", target_arch = "wasm32"), no_std, no_main)]

firmware::entry!(firmware::program::everything);
