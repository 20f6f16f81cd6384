fn main() {
    loop {
        print!("1");
        std::io::Write::flush(&mut std::io::stdout()).unwrap();
    }
}
