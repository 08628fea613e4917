"use strict";
// What the scripts of all pages find and make elements by. Every name goes in as text.
const byId = (id) => document.getElementById(id);
const svgNames = new Set(["svg", "line", "circle", "rect", "path", "text", "g", "polyline"]);
// What turns around the text behind it stands as an escape, as in the words that are written.
const unturned = (child) => typeof child !== "string" ? child
  : child.replace(/[\u202a-\u202e\u2066-\u2069]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`);
const h = (tag, attributes = {}, ...children) => {
  const drawn = svgNames.has(tag) || attributes.inSvg;
  const element = drawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  Object.entries(attributes).forEach(([name, given]) => {
    if (name === "inSvg" || given == null || given === false) return;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), given);
    else element.setAttribute(name, given === true ? "" : given);
  });
  const shown = children.flat(Infinity).filter((child) => child != null && child !== false);
  element.append(...(attributes.dir ? shown : shown.map(unturned))); // words with a direction of their own turn no others
  return element;
};

const natural = new Intl.Collator("en", {numeric: true});
// Numbers as text.
const minus = "\u2212";
// What stands just between two numbers goes to the even one, as everywhere else in evalsql.
const rounded = (number, digits) => {
  const scaled = Math.abs(number) * 10 ** digits;
  const isBetween = scaled % 1 === 0.5 && Number.isInteger(number * 2 ** 20);
  return isBetween ? (Math.sign(number) * 2 * Math.round(scaled / 2)) / 10 ** digits : number;
};
const fixed = (number, digits = data.digits) => (number == null ? "" : rounded(number, digits).toFixed(digits).replace("-", minus));
const signed = (number, digits = data.digits) => {
  if (number == null) return "";
  const text = fixed(number, digits);
  return Number(number.toFixed(digits)) === 0 ? text.replace(minus, "") : number > 0 ? `+${text}` : text;
};
