using System;

class Adder
{
    static void Main()
    {
        string line;
        while ((line = Console.ReadLine()) != null)
        {
            string[] words = line.Split(' ');
            if (words[0] == "next")
                Console.WriteLine(int.Parse(words[1]) + 1);
        }
    }
}
