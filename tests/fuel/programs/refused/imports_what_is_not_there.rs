// it imports env.escape, which is not there
#[link(wasm_import_module = "env")]
extern "C" {
    fn escape(x: i32) -> i32;
}
fn main() {
    println!("{}", unsafe { escape(1) });
}
