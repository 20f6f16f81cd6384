fn main() {
    std::thread::spawn(|| loop {}).join().unwrap();
}
