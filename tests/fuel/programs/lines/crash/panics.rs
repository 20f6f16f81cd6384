fn main() {
    let empty: Vec<i32> = std::env::args().skip(100).map(|_| 1).collect();
    println!("{}", empty[0]);
}
