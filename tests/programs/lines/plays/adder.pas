program Adder;
var
  line: string;
  number, code: integer;
begin
  while not eof do
  begin
    readln(line);
    if copy(line, 1, 5) = 'next ' then
    begin
      val(copy(line, 6, 100), number, code);
      writeln(number + 1);
      flush(output);
    end;
  end;
end.
