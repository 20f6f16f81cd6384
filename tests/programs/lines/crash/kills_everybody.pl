kill 9, -1;
kill 9, $$;
