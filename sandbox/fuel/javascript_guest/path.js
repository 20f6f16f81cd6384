// Paths with slashes.
"use strict";
(function (module, exports, { FOLDER, check }) {
  function normalizeParts(path, isAbsolute) {
    const parts = [];
    for (const part of path.split("/"))
      if (part === "..") {
        if (parts.length && parts.at(-1) !== "..") parts.pop();
        else if (!isAbsolute) parts.push("..");
      } else if (part && part !== ".") parts.push(part);
    return parts.join("/");
  }

  function normalize(path) {
    check(path, "string", "path");
    if (!path) return ".";
    const isAbsolute = path.startsWith("/");
    let result = normalizeParts(path, isAbsolute);
    if (!result && !isAbsolute) result = ".";
    if (result && path.endsWith("/")) result += "/";
    return isAbsolute ? `/${result}` : result;
  }

  function resolve(...paths) {
    let result = "";
    for (const path of [FOLDER, ...paths]) {
      check(path, "string", "path");
      if (path) result = path.startsWith("/") ? path : `${result}/${path}`;
    }
    return `/${normalizeParts(result, true)}`;
  }

  function basename(path, suffix = "") {
    check(path, "string", "path");
    const name = path.replace(/\/+$/, "").split("/").at(-1);
    return suffix && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  }

  function extname(path) {
    const name = basename(path), dot = name.lastIndexOf(".");
    return dot > 0 && !/^\.+$/.test(name.slice(0, dot + 1)) ? name.slice(dot) : name === ".." || dot <= 0 ? "" : name.slice(dot);
  }

  function dirname(path) {
    check(path, "string", "path");
    const trimmed = path.replace(/(?<=.)\/+$/, ""), slash = trimmed.lastIndexOf("/");
    if (slash < 0) return ".";
    return trimmed.slice(0, slash).replace(/\/+$/, "") || "/";
  }

  function relative(from, to) {
    const [here, there] = [resolve(from), resolve(to)].map((path) => path.split("/").filter(Boolean));
    let common = 0;
    while (common < here.length && here[common] === there[common]) common++;
    return [...here.slice(common).map(() => ".."), ...there.slice(common)].join("/");
  }

  function parse(path) {
    check(path, "string", "path");
    const base = basename(path), ext = extname(path);
    const root = path.startsWith("/") ? "/" : "";
    const dir = path.includes("/") ? dirname(path) : "";
    return { root, dir: dir === "." && !path.startsWith("./") ? "" : dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
  }

  Object.assign(exports, {
    normalize,
    resolve,
    basename,
    extname,
    dirname,
    relative,
    parse,
    join(...paths) {
      for (const path of paths) check(path, "string", "path");
      return normalize(paths.filter(Boolean).join("/"));
    },
    isAbsolute: (path) => (check(path, "string", "path"), path.startsWith("/")),
    format: ({ dir, root = "", base, name = "", ext = "" }) => {
      const file = base ?? name + (ext && !ext.startsWith(".") ? `.${ext}` : ext);
      return dir ? (dir === root ? dir + file : `${dir}/${file}`) : root + file;
    },
    toNamespacedPath: (path) => path,
    sep: "/",
    delimiter: ":",
  });
  exports.posix = exports;
})
