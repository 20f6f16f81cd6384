let () =
  try
    while true do
      match String.split_on_char ' ' (read_line ()) with
      | [ "next"; number ] -> print_endline (string_of_int (int_of_string number + 1))
      | _ -> ()
    done
  with End_of_file -> ()
