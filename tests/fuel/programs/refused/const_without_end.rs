// errors
const fn endless() -> u32 {
    let mut sum: u32 = 0;
    loop {
        sum ^= 1;
        if sum == 2 {
            return sum;
        }
    }
}
const VALUE: u32 = endless();
fn main() {
    println!("{}", VALUE);
}
