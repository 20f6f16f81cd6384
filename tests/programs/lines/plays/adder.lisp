(loop for line = (read-line *standard-input* nil)
      while line
      when (eql 0 (search "next " line))
        do (format t "~d~%" (1+ (parse-integer line :start 5)))
           (finish-output))
