import os

for number in range(14):
    with open(f"/work/{number}", "wb") as file:
        file.write(b"x" * 1_000_000)
hidden = [os.memfd_create("hidden") for _ in range(50)]
for descriptor in hidden:
    for _ in range(4):
        os.write(descriptor, b"x" * 1_000_000)
for _ in range(15):
    if os.fork() == 0:
        mine = [os.memfd_create("hidden") for _ in range(8)]
        for descriptor in mine:
            for _ in range(4):
                os.write(descriptor, b"x" * 1_000_000)
        os.wait()
