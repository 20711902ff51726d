// Shows the description of the API. Everything is put into the page as text, never as markup.
"use strict";

const METHODS = ["get", "post", "put", "delete", "patch"];
let forms = {};

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

const nameOf = (reference) => reference.slice(reference.lastIndexOf("/") + 1);
const link = (name) => make("a", { href: `#form-${name}` }, name);
const isNull = (schema) => schema.type === "null";

/// What kind of value a schema allows, in a few words.
function kind(schema) {
  const span = make("span", { class: "kind" });
  if (schema.$ref) span.append(link(nameOf(schema.$ref)));
  else if (schema.enum) span.append(schema.enum.map((value) => JSON.stringify(value)).join(" | "));
  else if (schema.oneOf || schema.anyOf) {
    (schema.oneOf ?? schema.anyOf).forEach((choice, place) => span.append(place ? " | " : "", kind(choice)));
  } else if (schema.type === "array" || schema.type?.includes?.("array")) {
    const exactly = schema.minItems !== undefined && schema.minItems === schema.maxItems;
    span.append(exactly ? `${schema.minItems} × ` : "list of ", kind(schema.items ?? {}));
  } else if (schema.properties) span.append("object");
  else span.append([schema.type ?? "any"].flat().join(" | "), bounds(schema));
  return span;
}

function bounds(schema) {
  const { minimum, maximum, minLength, maxLength, pattern, format } = schema;
  if (pattern) return ` ${pattern}`;
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum}…${maximum}`;
  if (minimum !== undefined) return ` ≥ ${minimum}`;
  if (maxLength !== undefined) return ` of ${minLength ?? 0}…${maxLength} characters`;
  return format ? ` (${format})` : "";
}

/// The fields of an object, or the choices of a form, one row each.
function rows(schema) {
  const table = make("table");
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const label = make("span", schema.required?.includes(name) ? { class: "must", title: "required" } : {}, name);
    table.append(row(label, field, field.description));
  }
  const choices = (schema.oneOf ?? []).filter((choice) => !isNull(choice));
  for (const choice of choices) {
    const names = Object.keys(choice.properties ?? {});
    if (names.length === 1) table.append(row(`{ "${names[0]}": … }`, choice.properties[names[0]], choice.description));
    else if (choice.enum) table.append(row(choice.enum.map((value) => JSON.stringify(value)).join(" | "), null, choice.description));
    else table.append(row("", choice, choice.description));
  }
  return table;
}

function row(label, schema, said) {
  const value = make("td", {}, schema ? kind(schema) : "");
  if (schema?.properties) value.replaceChildren(rows(schema));
  const inner = schema?.items?.properties;
  if (inner) value.append(rows(schema.items));
  return make("tr", {}, make("td", { class: "field" }, label), value, make("td", { class: "said" }, said ?? ""));
}

function shape(schema) {
  const form = schema.$ref && forms[nameOf(schema.$ref)];
  if (form?.properties) return make("div", {}, make("p", {}, kind(schema)), rows(form));
  if (schema.properties || (schema.oneOf && !schema.oneOf.every((choice) => choice.$ref || isNull(choice)))) return rows(schema);
  return make("p", {}, kind(schema));
}

/// A value that fits a schema, for people to begin with.
function example(schema, depth = 0) {
  if (!schema || depth > 12) return null;
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.length) return schema.examples[0];
  if (schema.$ref) return example(forms[nameOf(schema.$ref)], depth + 1);
  if (schema.enum) return schema.enum[0];
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) {
    if (choices.some(isNull)) return null;
    return example(choices.find((choice) => choice.properties) ?? choices[0], depth + 1);
  }
  const type = [schema.type].flat()[0];
  if (schema.properties) {
    return Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, example(field, depth + 1)]));
  }
  if (type === "array") return Array.from({ length: schema.minItems ?? 1 }, () => example(schema.items, depth + 1));
  if (type === "integer" || type === "number") return Math.max(schema.minimum ?? 1, 1);
  if (type === "boolean") return true;
  return type === "string" ? "…" : null;
}

function shown(schema) {
  const text = JSON.stringify(example(schema), null, 2).replace(/\[\s+([\d,\s]+?)\s+\]/g, (_, list) => `[${list.replace(/\s+/g, " ")}]`);
  return make("details", {}, make("summary", {}, "Example"), make("pre", {}, text));
}

const content = (part) => part?.content && Object.entries(part.content)[0];

function operation(path, method, described) {
  const id = described.operationId ? `ask-${described.operationId}` : `ask-${method}-${path}`;
  const section = make("section", { id },
    make("h3", {}, make("span", { class: `method ${method}` }, method.toUpperCase()), make("span", { class: "path" }, path)),
    described.summary && make("p", {}, described.summary), described.description && make("p", {}, described.description));
  if (described.parameters?.length) {
    const table = make("table");
    for (const { name, in: place, required, schema, description } of described.parameters) {
      table.append(row(make("span", required ? { class: "must" } : {}, `${name} (${place})`), schema ?? {}, description));
    }
    section.append(make("h4", {}, "Parameters"), table);
  }
  const body = content(described.requestBody);
  if (body) section.append(make("h4", {}, `Body, ${body[0]}`), shape(body[1].schema ?? {}), shown(body[1].schema));
  section.append(make("h4", {}, "Answers"));
  const answers = make("table");
  for (const [status, answer] of Object.entries(described.responses ?? {})) {
    const given = content(answer);
    const said = given && !given[0].includes("json") ? `${answer.description} ${given[0]}` : answer.description;
    answers.append(row(status, given ? given[1].schema ?? {} : null, said));
  }
  section.append(answers);
  return [id, section];
}

function form(name, schema) {
  const section = make("section", { id: `form-${name}` }, make("h3", {}, make("span", { class: "path" }, name)),
    schema.description && make("p", {}, schema.description), shape(schema));
  if (schema.properties || schema.oneOf || schema.examples) section.append(shown(schema));
  return section;
}

function show(description) {
  forms = description.components?.schemas ?? {};
  const [main, contents] = [document.getElementById("all"), document.getElementById("contents")];
  const about = make("div", { class: "about" });
  for (const paragraph of (description.info.description ?? "").split("\n\n")) about.append(make("p", {}, paragraph));
  main.replaceChildren(about);
  const groups = new Map();
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const method of METHODS.filter((method) => operations[method])) {
      const group = operations[method].tags?.[0] ?? path.split("/")[3] ?? "house";
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push([path, method, operations[method]]);
    }
  }
  for (const [group, members] of [...groups].sort(([one], [other]) => one.localeCompare(other))) {
    main.append(make("h2", {}, group));
    contents.append(make("h2", {}, group));
    for (const [path, method, described] of members) {
      const [id, section] = operation(path, method, described);
      main.append(section);
      contents.append(make("a", { href: `#${id}` }, make("span", { class: method }, method.toUpperCase()), ` ${path.replace("/api/v1", "")}`));
    }
  }
  main.append(make("h2", {}, "Forms"));
  contents.append(make("h2", {}, "Forms"));
  for (const name of Object.keys(forms).sort()) {
    main.append(form(name, forms[name]));
    contents.append(link(name));
  }
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

function find(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  for (const section of document.querySelectorAll("main section")) {
    const text = section.textContent.toLowerCase();
    section.hidden = !wanted.every((word) => text.includes(word));
    const entry = document.querySelector(`nav a[href="#${CSS.escape(section.id)}"]`)
      ?? [...document.querySelectorAll("nav a")].find((entry) => entry.getAttribute("href") === `#${section.id}`);
    if (entry) entry.hidden = section.hidden;
  }
}

const field = document.getElementById("find");
field.addEventListener("input", () => find(field.value));
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
});
addEventListener("hashchange", () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.hidden) {
    field.value = "";
    find("");
    target.scrollIntoView();
  }
});

fetch("/api/openapi.json").then((answer) => answer.json()).then(show).catch(() => {
  document.getElementById("state").textContent = "The description cannot be read.";
});
