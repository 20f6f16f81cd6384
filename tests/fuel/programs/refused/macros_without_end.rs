// compiler used more than 10 s
macro_rules! more { ($($x:tt)*) => { more!($($x)* $($x)* 1) } }
fn main() {
    more!(1);
}
