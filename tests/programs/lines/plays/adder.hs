import System.IO

main :: IO ()
main = hSetBuffering stdout LineBuffering >> interact (unlines . concatMap (answer . words) . lines)

answer :: [String] -> [String]
answer ["next", number] = [show (read number + 1 :: Int)]
answer _ = []
