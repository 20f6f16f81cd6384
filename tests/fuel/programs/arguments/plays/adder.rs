fn main() {
    let number: i32 = std::env::args().nth(1).unwrap().parse().unwrap();
    println!("{}", number + 1);
}
