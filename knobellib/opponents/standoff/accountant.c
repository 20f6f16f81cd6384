/*
 * accountant - takes stock of the damage that may come (10 from each armed neighbour, 4 when protected)
 * and of what it can do: kill whom it can, protect itself when it could die, else shoot, else reload
 */
#include <stdio.h>

struct person {
    int health, ammo;
    char last;
};

static int parse(const char *triplet, struct person *who)
{
    return sscanf(triplet, "%d/%d/%c", &who->health, &who->ammo, &who->last) == 3;
}

int main(int count, char **words)
{
    struct person own, other;
    int seat, armed = 0, prey = 0;

    if (count < 3 || !parse(words[1], &own))
        return 2;
    for (seat = 2; seat < count; seat++) {
        if (!parse(words[seat], &other))
            return 2;
        armed += other.ammo > 0;
        prey += other.health <= 10;
    }
    if (own.health <= 10 * armed && own.health > 4 * armed)
        puts("P");
    else if (own.ammo > 0 && (prey > 0 || own.ammo == 2))
        puts("S");
    else if (armed == 0 || own.ammo == 0)
        puts("R");
    else
        puts("P");
    return 0;
}
