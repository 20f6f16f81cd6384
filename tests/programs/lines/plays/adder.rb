$stdout.sync = true
while (line = gets)
  puts $1.to_i + 1 if line =~ /^next (\d+)/
end
