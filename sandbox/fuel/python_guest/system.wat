;; The system calls of CPython, as functions of WASI preview 1. The linker takes these instead of those in libc,
;; which call WASI preview 2. Also the three functions that the host calls.
;;
;; Files are those of the program, in /work, and read-only. What libc has and is not here ends the program by a
;; trap. Layouts and numbers are those of wasi-libc:
;; https://github.com/WebAssembly/wasi-libc/tree/main/libc-bottom-half/headers/public
(module
  (@dylink.0 (mem-info (memory 1024 3)))
  (import "env" "memory" (memory 0))
  (import "env" "__memory_base" (global $base i32))
  (import "GOT.mem" "errno" (global $errno (mut i32)))
  (import "GOT.mem" "_CLOCK_REALTIME" (global $CLOCK_REALTIME (mut i32)))
  (import "env" "malloc" (func $malloc (param i32) (result i32)))
  (import "env" "free" (func $free (param i32)))
  (import "env" "strlen" (func $strlen (param i32) (result i32)))

  (import "env" "PyInitConfig_Create" (func $PyInitConfig_Create (result i32)))
  (import "env" "PyInitConfig_SetInt" (func $PyInitConfig_SetInt (param i32 i32 i64) (result i32)))
  (import "env" "PyInitConfig_GetError" (func $PyInitConfig_GetError (param i32 i32) (result i32)))
  (import "env" "PyInitConfig_SetStrList" (func $PyInitConfig_SetStrList (param i32 i32 i32 i32) (result i32)))
  (import "env" "Py_InitializeFromInitConfig" (func $Py_InitializeFromInitConfig (param i32) (result i32)))
  (import "env" "PyRun_SimpleStringFlags" (func $PyRun_SimpleStringFlags (param i32 i32) (result i32)))

  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock_time_get (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_close" (func $fd_close (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_filestat_get" (func $fd_filestat_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_readdir" (func $fd_readdir (param i32 i32 i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_seek" (func $fd_seek (param i32 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_filestat_get"
    (func $path_filestat_get (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open"
    (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))

  ;; 0 to 127: what a call needs while it runs. Then texts.
  (data (i32.add (global.get $base) (i32.const 144)) "/work\00")
  (data (i32.add (global.get $base) (i32.const 152)) "__import__('knobeln_guest').main()\00")

  (func $at (param $offset i32) (result i32)
    (i32.add (global.get $base) (local.get $offset)))

  ;; What a function of C returns for this error number, or for none.
  (func $result (param $error i32) (result i32)
    (if (result i32) (local.get $error)
      (then (i32.store (global.get $errno) (local.get $error)) (i32.const -1))
      (else (i32.const 0))))

  ;; The number that a successful call has put at the beginning of our memory.
  (func $result_or_number (param $error i32) (result i32)
    (if (result i32) (call $result (local.get $error))
      (then (i32.const -1))
      (else (i32.load (global.get $base)))))

  (func $one_part (param $pointer i32) (param $size i32) (result i32)
    (i32.store offset=8 (global.get $base) (local.get $pointer))
    (i32.store offset=12 (global.get $base) (local.get $size))
    (call $at (i32.const 8)))

  ;; --- files -------------------------------------------------------------------------------------------
  (func (export "read") (param $file i32) (param $pointer i32) (param $size i32) (result i32)
    (call $result_or_number (call $fd_read (local.get $file)
      (call $one_part (local.get $pointer) (local.get $size)) (i32.const 1) (global.get $base))))

  (func $write (export "write") (param $file i32) (param $pointer i32) (param $size i32) (result i32)
    (call $result_or_number (call $fd_write (local.get $file)
      (call $one_part (local.get $pointer) (local.get $size)) (i32.const 1) (global.get $base))))

  (func $lseek (export "lseek") (param $file i32) (param $offset i64) (param $whence i32) (result i64)
    (if (result i64) (call $result (call $fd_seek
        (local.get $file) (local.get $offset) (local.get $whence) (global.get $base)))
      (then (i64.const -1))
      (else (i64.load (global.get $base)))))

  ;; What unistd.h makes of asking where it is.
  (func (export "__wasilibc_tell") (param $file i32) (result i64)
    (call $lseek (local.get $file) (i64.const 0) (i32.const 1)))

  (func (export "close") (param $file i32) (result i32)
    (call $result (call $fd_close (local.get $file))))

  ;; The flags of WASI are bits 12 to 15 of those of C; bit 28 is writing, which needs a right.
  (func $open (export "open") (param $path i32) (param $flags i32) (param $more i32) (result i32)
    (call $result_or_number (call $path_open
      (i32.const 3) (i32.const 1) (local.get $path) (call $strlen (local.get $path))
      (i32.and (i32.shr_u (local.get $flags) (i32.const 12)) (i32.const 15))
      (i64.extend_i32_u (i32.and (i32.shr_u (local.get $flags) (i32.const 22)) (i32.const 64)))
      (i64.const 0) (i32.const 0) (global.get $base))))

  ;; A `struct stat` of the facts at 32 in our memory. All times are that of the first moment.
  (func $facts (param $error i32) (param $to i32) (result i32)
    (local $kind i32)
    (if (call $result (local.get $error)) (then (return (i32.const -1))))
    (memory.fill (local.get $to) (i32.const 0) (i32.const 144))
    (local.set $kind (i32.load8_u offset=48 (global.get $base)))
    (i64.store offset=16 (local.get $to) (i64.const 1))
    (i32.store offset=24 (local.get $to)
      (select (i32.const 0x8124)                                ;; a file, r--r--r--
        (select (i32.const 0x416d) (i32.const 0x2180)           ;; a folder, r-xr-xr-x; a device, rw-------
          (i32.eq (local.get $kind) (i32.const 3)))
        (i32.eq (local.get $kind) (i32.const 4))))
    (i64.store offset=48 (local.get $to) (i64.load offset=64 (global.get $base)))
    (i32.const 0))

  (func (export "fstat") (param $file i32) (param $to i32) (result i32)
    (call $facts (call $fd_filestat_get (local.get $file) (call $at (i32.const 32))) (local.get $to)))

  (func $stat (export "stat") (export "lstat") (param $path i32) (param $to i32) (result i32)
    (call $facts
      (call $path_filestat_get (i32.const 3) (i32.const 1)
        (local.get $path) (call $strlen (local.get $path)) (call $at (i32.const 32)))
      (local.get $to)))

  (func (export "access") (param $path i32) (param $mode i32) (result i32)
    (if (call $stat (local.get $path) (call $at (i32.const 256))) (then (return (i32.const -1))))
    (call $result (select (i32.const 69) (i32.const 0) (i32.and (local.get $mode) (i32.const 2)))))

  ;; A folder that is being read: its descriptor, at 8 where to go on, at 16 how much was read and at 20 how much
  ;; of that was given out; at 24 what was read, entries as WASI has them, and at 4120 the last one as C has it.
  (func (export "opendir") (param $path i32) (result i32)
    (local $file i32) (local $folder i32)
    (local.set $file (call $open (local.get $path) (i32.const 0x2000) (i32.const 0)))
    (if (i32.lt_s (local.get $file) (i32.const 0)) (then (return (i32.const 0))))
    (local.set $folder (call $malloc (i32.const 4400)))
    (i32.store (local.get $folder) (local.get $file))
    (i64.store offset=8 (local.get $folder) (i64.const 0))
    (i64.store offset=16 (local.get $folder) (i64.const 0))
    (local.get $folder))

  (func (export "readdir") (param $folder i32) (result i32)
    (local $entry i32) (local $left i32)
    (loop $again
      (local.set $entry
        (i32.add (i32.add (local.get $folder) (i32.const 24)) (i32.load offset=20 (local.get $folder))))
      (local.set $left
        (i32.sub (i32.load offset=16 (local.get $folder)) (i32.load offset=20 (local.get $folder))))
      (if (if (result i32) (i32.lt_u (local.get $left) (i32.const 24))
          (then (i32.const 1))
          (else (i32.lt_u (i32.sub (local.get $left) (i32.const 24)) (i32.load offset=16 (local.get $entry)))))
        (then
          ;; All of it is given out, and it was all that there is.
          (if (i32.and (i32.eqz (local.get $left)) (i32.lt_u
              (i32.sub (i32.load offset=16 (local.get $folder)) (i32.const 1)) (i32.const 4095)))
            (then (return (i32.const 0))))
          (if (call $result (call $fd_readdir (i32.load (local.get $folder))
              (i32.add (local.get $folder) (i32.const 24)) (i32.const 4096)
              (i64.load offset=8 (local.get $folder)) (i32.add (local.get $folder) (i32.const 16))))
            (then (return (i32.const 0))))
          (i32.store offset=20 (local.get $folder) (i32.const 0))
          (br_if $again (i32.load offset=16 (local.get $folder)))
          (return (i32.const 0)))))
    (i64.store offset=8 (local.get $folder) (i64.load (local.get $entry)))
    (i32.store offset=20 (local.get $folder) (i32.add (i32.load offset=20 (local.get $folder))
      (i32.add (i32.const 24) (i32.load offset=16 (local.get $entry)))))
    (i64.store offset=4120 (local.get $folder) (i64.load offset=8 (local.get $entry)))
    (i32.store8 offset=4128 (local.get $folder) (i32.load8_u offset=20 (local.get $entry)))
    (memory.copy (i32.add (local.get $folder) (i32.const 4129)) (i32.add (local.get $entry) (i32.const 24))
      (i32.load offset=16 (local.get $entry)))
    (i32.store8 offset=4129 (i32.add (local.get $folder) (i32.load offset=16 (local.get $entry))) (i32.const 0))
    (i32.add (local.get $folder) (i32.const 4120)))

  (func (export "closedir") (param $folder i32) (result i32)
    (local $error i32)
    (local.set $error (call $fd_close (i32.load (local.get $folder))))
    (call $free (local.get $folder))
    (call $result (local.get $error)))

  (func (export "getcwd") (param $to i32) (param $size i32) (result i32)
    (memory.copy (local.get $to) (call $at (i32.const 144)) (i32.const 6))
    (local.get $to))

  ;; 69: the file system can only be read. 59: that is no terminal. 52: there is no such function.
  (func (export "rmdir") (export "unlink") (param i32) (result i32)
    (call $result (i32.const 69)))
  (func (export "mkdir") (export "rename") (param i32 i32) (result i32)
    (call $result (i32.const 69)))
  (func (export "isatty") (param i32) (result i32)
    (drop (call $result (i32.const 59)))
    (i32.const 0))
  (func (export "ioctl") (param i32 i32 i32) (result i32)
    (call $result (i32.const 59)))
  (func (export "fcntl") (param i32 i32 i32) (result i32)
    (i32.const 0))

  ;; --- time, chance, the end ---------------------------------------------------------------------------
  ;; A clock of C is a pointer; 0 is the number of the one that has a date, 1 of those that only run.
  (func $clock (param $clock i32) (result i32)
    (i32.ne (local.get $clock) (global.get $CLOCK_REALTIME)))

  (func $now (param $clock i32) (result i64)
    (drop (call $clock_time_get (local.get $clock) (i64.const 1) (global.get $base)))
    (i64.load (global.get $base)))

  (func (export "wasi:clocks/monotonic-clock@0.2.0#now") (result i64)
    (call $now (i32.const 1)))
  (func (export "wasi:clocks/monotonic-clock@0.2.0#resolution") (result i64)
    (i64.const 1))

  (func $date (param $to i32) (param $nanoseconds i64)
    (i64.store (local.get $to) (i64.div_u (local.get $nanoseconds) (i64.const 1000000000)))
    (i32.store offset=8 (local.get $to)
      (i32.wrap_i64 (i64.rem_u (local.get $nanoseconds) (i64.const 1000000000)))))
  (func (export "wasi:clocks/wall-clock@0.2.0#now") (param $to i32)
    (call $date (local.get $to) (call $now (i32.const 0))))
  (func (export "wasi:clocks/wall-clock@0.2.0#resolution") (param $to i32)
    (call $date (local.get $to) (i64.const 1)))

  ;; Bit 0 of the flags: until that moment, instead of for so long.
  (func (export "clock_nanosleep") (param $clock i32) (param $flags i32) (param $time i32) (param $left i32)
    (result i32)
    (memory.fill (global.get $base) (i32.const 0) (i32.const 48))
    (i32.store offset=16 (global.get $base) (call $clock (local.get $clock)))
    (i64.store offset=24 (global.get $base)
      (i64.add (i64.mul (i64.load (local.get $time)) (i64.const 1000000000))
        (i64.extend_i32_u (i32.load offset=8 (local.get $time)))))
    (i32.store offset=40 (global.get $base) (i32.and (local.get $flags) (i32.const 1)))
    (call $poll_oneoff (global.get $base) (call $at (i32.const 64)) (i32.const 1) (call $at (i32.const 96))))

  (func (export "poll") (param i32 i32 i32) (result i32)
    (call $result (i32.const 52)))
  (func (export "select") (param i32 i32 i32 i32 i32) (result i32)
    (call $result (i32.const 52)))

  (func (export "wasi:random/random@0.2.0#get-random-bytes") (param $size i64) (param $to i32)
    (i32.store (local.get $to) (call $malloc (i32.wrap_i64 (local.get $size))))
    (i32.store offset=4 (local.get $to) (i32.wrap_i64 (local.get $size)))
    (drop (call $random_get (i32.load (local.get $to)) (i32.wrap_i64 (local.get $size)))))

  ;; No variables; and libc opens no folders of its own.
  (func (export "wasi:cli/environment@0.2.0#get-environment")
    (export "wasi:filesystem/preopens@0.2.0#get-directories") (param $to i32)
    (i64.store (local.get $to) (i64.const 0)))

  (func (export "exit") (export "_exit") (param $code i32)
    (call $proc_exit (local.get $code))
    (unreachable))

  ;; --- what the host calls -----------------------------------------------------------------------------
  (func $check (param $config i32) (param $has_failed i32)
    (if (local.get $has_failed) (then
      (drop (call $PyInitConfig_GetError (local.get $config) (call $at (i32.const 64))))
      (drop (call $write (i32.const 2) (i32.load offset=64 (global.get $base))
        (call $strlen (i32.load offset=64 (global.get $base)))))
      (unreachable))))

  (func $set (param $config i32) (param $name i32) (param $value i64)
    (call $check (local.get $config)
      (call $PyInitConfig_SetInt (local.get $config) (call $at (local.get $name)) (local.get $value))))

  (data (i32.add (global.get $base) (i32.const 512)) "site_import\00")
  (data (i32.add (global.get $base) (i32.const 528)) "use_hash_seed\00")
  (data (i32.add (global.get $base) (i32.const 544)) "utf8_mode\00")
  (data (i32.add (global.get $base) (i32.const 560)) "module_search_paths\00")
  (data (i32.add (global.get $base) (i32.const 592)) "/python\00")

  ;; Starts Python, with nothing of its surroundings. The seed of hashes is 0.
  (func (export "begin")
    (local $config i32)
    (local.set $config (call $PyInitConfig_Create))
    (call $set (local.get $config) (i32.const 512) (i64.const 0))
    (call $set (local.get $config) (i32.const 528) (i64.const 1))
    (call $set (local.get $config) (i32.const 544) (i64.const 1))
    (i32.store (global.get $base) (call $at (i32.const 592)))
    (i32.store offset=4 (global.get $base) (call $at (i32.const 144)))
    (call $check (local.get $config) (call $PyInitConfig_SetStrList
      (local.get $config) (call $at (i32.const 560)) (i32.const 2) (global.get $base)))
    (call $check (local.get $config) (call $Py_InitializeFromInitConfig (local.get $config))))

  (func (export "_start")
    (if (call $PyRun_SimpleStringFlags (call $at (i32.const 152)) (i32.const 0)) (then (unreachable)))))
