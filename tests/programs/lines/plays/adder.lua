for line in io.lines() do
  local number = line:match("^next (%d+)")
  if number then print(number + 1) end
end
