fn main() {
    loop {
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    }
}
