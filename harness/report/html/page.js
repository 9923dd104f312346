"use strict";
const rows = Array.from(document.querySelectorAll("#matrix tbody tr"));
const search = document.getElementById("search");
const boxes = Array.from(document.querySelectorAll("input[name=verdict]"));
const shown = document.getElementById("shown");
const texts = rows.map((row) => row.textContent.toLowerCase());
function filter() {
  const wanted = search.value.trim().toLowerCase();
  const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  let count = 0;
  rows.forEach((row, n) => {
    row.hidden = !(verdicts.has(row.dataset.verdict) && texts[n].includes(wanted));
    count += row.hidden ? 0 : 1;
  });
  shown.textContent = `${count} of ${rows.length} clauses`;
}
search.addEventListener("input", filter);
boxes.forEach((box) => box.addEventListener("change", filter));
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { search.value = ""; filter(); }
});
filter();
window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
