// archive.js - an archive as one file (.tar.gz or .tar) or as a folder, within bounds; and its manifest.
import { Differs, Unreadable, byName, grouped, must, mustBeInForm, readJson, readMarked, sha256, shown, text } from "./bytes.js";
import { say } from "./words.js";

// As in trust/archive/files.py, but for the size of everything: a browser has less memory.
const MAX_FILES = 50_000;
const MAX_FILE_BYTES = 16_000_000; // but a group with its games may have more
const MAX_BYTES = 500_000_000; // of all files together
const PATH = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}\/){0,12}[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}$/;
const KNOWN = /^(?:(?:contest|entries|decisions|ranking|seal|entry_lists|evolution|certainty|cosignatures|counted|time_changes|rounds|ledger|manifest)\.json|(?:ledger|announcement)\.txt|rules\.md|README\.md|verify\.(?:html|mjs)|programs\/\w+\/(?:description\.txt|source\/.+)|(?:builds|guests)\/[0-9a-f]{64}|rounds\/\d+\/(?:asked-\d+\.json|group-\d+\.json))$/;
const GROUP = /^rounds\/[0-9]+\/group-[0-9]+\.json$/;
const MANIFEST = "manifest.json";
const BLOCK = 512; // of a tar file

// --- from one file ---
/** The files in a .tar or .tar.gz, by path. Throws Unreadable for anything else, Differs beyond the bounds. */
export async function unpacked(blob) {
  const [first, second] = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  const isZipped = first === 0x1f && second === 0x8b;
  const stream = isZipped ? blob.stream().pipeThrough(new DecompressionStream("gzip")) : blob.stream();
  return untarred(await readAll(stream));
}

async function readAll(stream) {
  const reader = stream.getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Unreadable(say("the file is damaged, or no archive"));
    });
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    must(size <= MAX_BYTES, "the archive has more than {bytes} bytes", { bytes: MAX_BYTES });
    parts.push(value);
  }
}

function untarred(raw) {
  const files = new Map();
  const field = (at, size) => new TextDecoder().decode(raw.subarray(at, at + size)).replace(/\0.*$/s, "");
  let longName = "";
  for (let at = 0; at + BLOCK <= raw.length && raw[at]; ) {
    const size = parseInt(field(at + 124, 12), 8);
    const type = field(at + 156, 1);
    const start = at + BLOCK;
    if (!field(at + 257, 5).startsWith("ustar") || !(size >= 0 && start + size <= raw.length)) {
      throw new Unreadable(say("the file is damaged, or no archive"));
    }
    const prefix = field(at + 345, 155);
    const path = longName || (prefix && field(at + 257, 6) === "ustar" ? `${prefix}/` : "") + field(at, 100);
    longName = "";
    if (type === "L") longName = field(start, size);
    else if (type === "x") longName = /(?:^|\n)\d+ path=(.*)\n/.exec(field(start, size))?.[1] ?? "";
    else if (type === "0" || type === "") files.set(path.replace(/^\.\//, ""), raw.subarray(start, start + size));
    else if (type !== "5" && type !== "g") throw new Differs(say("the archive has a link or a device"));
    must(files.size <= MAX_FILES, "the archive has more than {files} files", { files: MAX_FILES });
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return withoutFolder(files);
}

/** Archives are packed with their folder or without. */
function withoutFolder(files) {
  const manifests = [...files.keys()].filter((path) => path === MANIFEST || path.endsWith(`/${MANIFEST}`));
  if (!manifests.length) throw new Unreadable(say("there is no manifest.json, so this is no archive of a contest"));
  const folder = manifests.sort((a, b) => a.length - b.length)[0].slice(0, -MANIFEST.length);
  return new Map([...files].map(([path, bytes]) => {
    must(path.startsWith(folder), "{path} does not belong to the archive: it is not in its folder", { path: shown(path) });
    return [path.slice(folder.length), bytes];
  }));
}

// --- its files ---
/** The files of an archive, which agree with its manifest. `digest`: the archive's. */
export class Archive {
  #files;
  #folders; // the paths by their first part

  /** Throws Differs with the first file that is not as the manifest says. `progress`: takes done and all. */
  constructor(files, progress) {
    this.#files = new Map([...files].sort(([a], [b]) => byName(a, b)));
    this.#folders = grouped(this.#files.keys(), (path) => path.slice(0, path.indexOf("/") + 1));
    this.digest = sha256(this.bytes(MANIFEST));
    this.#checkManifest(this.json(MANIFEST), progress);
  }

  #checkManifest(manifest, progress) {
    must(manifest?.format === "knobeln archive" && manifest.version === 1 && manifest.files
      && Object.keys(manifest).length === 3, "{path} describes no archive of version 1", { path: MANIFEST });
    const listed = Object.keys(manifest.files);
    for (const path of listed) must(this.has(path), "{path} is missing", { path: shown(path) });
    for (const path of this.paths()) {
      must(PATH.test(path) && KNOWN.test(path), "{path} cannot be the name of an archive's file", { path: shown(path) });
      if (path === MANIFEST) continue;
      must(Object.hasOwn(manifest.files, path), "{path} does not belong to the archive: manifest.json does not list it", { path });
      const { size, sha256: digest } = manifest.files[path];
      const found = this.bytes(path);
      must(found.length <= MAX_FILE_BYTES || GROUP.test(path), "{path} has more than {bytes} bytes", { path, bytes: MAX_FILE_BYTES });
      must(Object.keys(manifest.files[path]).length === 2 && found.length === size && sha256(found) === digest,
        "{path} was changed: it is not the file that manifest.json names", { path });
      progress(1);
    }
    mustBeInForm(listed.join("\n") === [...listed].sort(byName).join("\n"), MANIFEST);
  }

  get size() {
    return this.#files.size - 1;
  }

  has(path) {
    return this.#files.has(path);
  }

  /** All paths, sorted; only those below this folder, if one is given that is in no other folder. */
  paths(folder = "") {
    return folder ? this.#folders.get(folder) ?? [] : [...this.#files.keys()];
  }

  /** Throws Differs if the file is missing; so do the others. */
  bytes(path) {
    must(this.has(path), "{path} is missing", { path });
    return this.#files.get(path);
  }

  text(path) {
    return text(this.bytes(path), path);
  }

  json(path) {
    return readJson(this.bytes(path), path);
  }

  marked(path) {
    return readMarked(this.bytes(path), path);
  }
}
