use std::io::{stdin, BufRead};

fn main() {
    for line in stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        if words[0] == "next" {
            println!("{}", words[1].parse::<i32>().unwrap() + 1);
        }
    }
}
