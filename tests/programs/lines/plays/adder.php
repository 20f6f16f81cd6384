<?php
while (($line = fgets(STDIN)) !== false) {
    if (preg_match('/^next (\d+)/', $line, $found) && ctype_digit($found[1])) {
        echo $found[1] + 1, "\n";
    }
}
