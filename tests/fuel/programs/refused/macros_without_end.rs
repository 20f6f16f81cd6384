// recursion limit
macro_rules! more { ($($x:tt)*) => { more!($($x)* 1) } }
fn main() {
    more!(1);
}
