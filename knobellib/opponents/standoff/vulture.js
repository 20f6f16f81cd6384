// vulture - waits behind its protection, and shoots only when a neighbour is weak enough to fall
const [own, ...neighbours] = process.argv.slice(2).map((triplet) => {
  const [health, ammo, last] = triplet.split("/");
  return { health: Number(health), ammo: Number(ammo), last };
});

const A_HIT = 10;
const prey = neighbours.some((neighbour) => neighbour.health <= A_HIT);
const danger = neighbours.some((neighbour) => neighbour.ammo > 0);

if (prey && own.ammo > 0) console.log("S");
else if (danger) console.log("P");
else if (own.ammo < 2) console.log("R");
else console.log("S");
