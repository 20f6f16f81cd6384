const flood = () => process.stdout.write("1".repeat(65536), flood);
flood();
