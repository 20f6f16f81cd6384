// errors
#![crate_type = "proc-macro"]
extern crate proc_macro;
#[proc_macro]
pub fn plugin(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
    std::fs::read_to_string("/etc/passwd").unwrap().parse().unwrap()
}
fn main() {}
