program adder
  implicit none
  character(len=100) :: line
  integer :: number, status
  do
    read (*, '(a)', iostat=status) line
    if (status /= 0) exit
    if (line(1:5) == 'next ') then
      read (line(6:), *) number
      print '(i0)', number + 1
    end if
  end do
end program
