"use strict";
(() => {
  const permalink = (id) => `${location.href.split("#")[0]}#${id}`;

  const markdownOf = (button) => {
    const row = button.closest("tr");
    const table = button.closest("section, figure").querySelector("table");
    if (row) return [table.dataset.head, row.dataset.markdown, "", source(row.id)].join("\n");
    if (button.dataset.markdown) return [button.dataset.markdown, "", source(button.closest("figure").id)].join("\n");
    const rows = [...table.querySelectorAll("tbody tr")].map((each) => each.dataset.markdown);
    return [table.dataset.head, ...rows, "", source(button.closest("section").id)].join("\n");
  };

  const source = (id) => `loopfloor run ${document.body.dataset.run}, ${permalink(id)}`;

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // A page from disk may be refused the clipboard; a selection is not.
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button.copy");
    if (!button) return;
    await copy(markdownOf(button));
    const word = button.textContent;
    button.textContent = "copied";
    setTimeout(() => { button.textContent = word; }, 1200);
  });
})();
