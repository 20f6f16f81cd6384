// couldn't read /etc/passwd
static PASSWORDS: &[u8] = include_bytes!("/etc/passwd");
fn main() {
    println!("{}", PASSWORDS.len());
}
