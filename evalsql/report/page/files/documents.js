// Two rankings of a topic side by side: grades, what each document adds, lines between the same documents.
const firstMeasure = measureNames[0];
const grade = (held) => {
  if (held == null) return h("span", {class: "grade unknown", title: "not judged, counts as 0"}, "?");
  return h("span", {class: `grade${held >= 2 ? " g2" : held === 1 ? " g1" : ""}`}, plain(held));
};
const side = (there, run, other, isLeft, most) => {
  const [ranked, adds] = there.lists[run];
  const [otherRanked, , later] = there.lists[other];
  const elsewhere = (document) => {
    const at = otherRanked.indexOf(document);
    return at >= 0 ? String(at + 1) : later[document] != null ? String(later[document]) : "\u2013";
  };
  const hasAdds = adds.some((each) => each != null);
  const head = (text, kind) => h("th", {scope: "col", class: kind}, text);
  const cells = (document, at) => [
    h("td", {class: "rank"}, String(at + 1)), h("td", {class: "g"}, grade(there.grades[document])),
    h("td", {class: "id", title: there.names[document]}, there.words?.[document]
      ? h("button", {type: "button", class: "link", onclick: () => there.tell(document)}, there.names[document])
      : h("span", {}, there.names[document])),
    hasAdds && h("td", {class: "bar-cell"}, h("span", {class: "worth-bar", style: `width:${((Math.max(adds[at], 0) / (most || 1)) * 100).toFixed(1)}%`})),
    hasAdds && h("td", {class: "worth"}, h("span", {}, fixed(adds[at]))),
    h("td", {class: "elsewhere soft"}, elsewhere(document))];
  return h("table", {class: isLeft ? "left" : ""},
    h("caption", {class: isLeft ? "is-system" : "is-baseline"}, h("div", {class: "captioned"}, shortNamed(run), " ", fixed(value(run, there.topic)))),
    h("thead", {}, h("tr", {}, head("rank", "rank"), head("grade", "g"), head("document", "id"), hasAdds && h("td", {class: "bar-cell"}),
      hasAdds && head(`adds`, "worth"), head("rank in other", "elsewhere"))),
    h("tbody", {}, ranked.map((document, at) => h("tr", {}, cells(document, at)))));
};
const joins = (ours, theirs) => h("svg", {class: "joins", height: Math.max(ours.length, theirs.length) * 25 + 47, "aria-hidden": "true"},
  ours.map((document, at) => {
    const other = theirs.indexOf(document);
    return other >= 0 && h("line", {class: "join", x1: "4%", x2: "96%", y1: 59.5 + at * 25, y2: 59.5 + other * 25});
  }));
const topicFacts = (there, ours, theirs) => {
  const shared = ours[0].filter((document) => theirs[0].includes(document)).length;
  const highest = Math.max(...there.grades.filter((each) => each != null), 0);
  const count = (list) => list[0].filter((document) => there.grades[document] === highest).length;
  const told = highest > 0 ? `Of grade ${highest} among the first ${data.depth}: ${inWords(count(ours))} in the system, ${inWords(count(theirs))} in the baseline; ` : "";
  const losses = theirs[0].map((document, at) => {
    const place = ours[0].indexOf(document);
    return {document, at: at + 1, place: place >= 0 ? place + 1 : ours[2][document], loss: (place >= 0 ? ours[1][place] : 0) - theirs[1][at]};
  }).sort((a, b) => a.loss - b.loss);
  const [worst] = losses;
  const text = capital(`${told}they share ${inWords(shared)} documents.`);
  if (!worst || !(worst.loss < 0)) return h("p", {}, text);
  const where = worst.place ? `at rank ${worst.at} there and ${worst.place} here` : `at rank ${worst.at} there and not found here`;
  return h("p", {}, `${text} Largest loss: `, h("code", {}, there.names[worst.document]), `, ${where}, ${signed(worst.loss)} ${firstMeasure}.`);
};
const quoted = (text) => (/^[\w.@%+:,/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const hasDocuments = (at) => data.documents[at] || measure().explained;
const documentsOf = (at) => {
  const there = data.documents[at];
  const [ours, theirs] = [there?.lists[system()], there?.lists[baseline()]];
  const link = h("p", {class: "note"}, h("a", {href: location.hash || "#all"}, "Link to this topic"), ". The browser's back button closes it.");
  if (!hasDocuments(at)) return h("div", {}, link);
  if (!ours || !theirs) {
    const missing = there ? [system(), baseline()].filter((run) => !there.lists[run]) : [];
    const why = missing.length ? `The page holds no documents of ${listed(missing.map((run) => data.runs[run]))} on this topic.`
      : `The page holds ${Object.keys(data.documents).length ? "the documents of the topics where the best system and the baseline differ most" : "no documents"}.`;
    return h("div", {}, h("p", {}, `${why} This prints them: `,
      h("code", {}, `evalsql explain ${quoted(data.runs[system()])} ${quoted(topicName(at))} -m ${quoted(state.measure)} --other ${quoted(data.runs[baseline()])} --qrels ${quoted(data.qrels)}`)), link);
  }
  const said = h("p", {class: "words", dir: "auto", "aria-live": "polite"});
  const tell = (document) => said.replaceChildren(h("b", {}, there.names[document]), ` ${there.words[document]}`);
  const held = {...there, topic: at, tell};
  const most = Math.max(...ours[1], ...theirs[1], 0);
  const note = `Grade in a box; ? is not judged and counts as 0. Lines join the same document. What a document adds is of ${firstMeasure}${state.measure === firstMeasure ? "" : ", the page's first measure"}.${there.words ? " A document's name shows how it begins." : ""}`;
  return h("div", {}, topicFacts(there, ours, theirs),
    h("div", {class: "side"}, side(held, system(), baseline(), true, most), joins(ours[0], theirs[0]), side(held, baseline(), system(), false, most)), said,
    h("p", {class: "note"}, note), onlyNarrow("A wider window shows what each document adds, and its rank in the other system."), link);
};
