1 while <STDIN>;
