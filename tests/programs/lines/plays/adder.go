package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var number int
		if _, err := fmt.Sscanf(lines.Text(), "next %d", &number); err == nil {
			fmt.Println(number + 1)
		}
	}
}
