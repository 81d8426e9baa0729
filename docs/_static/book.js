// A formula or a table that is wider than the screen scrolls by itself: by keyboard, too.
(() => {
  const wide = 'mjx-container[display="true"], .pst-scrollable-table-container, .cell_output pre.columns';
  const mark = () => {
    for (const box of document.querySelectorAll(wide))
      box.scrollWidth > box.clientWidth ? box.tabIndex = 0 : box.removeAttribute("tabindex");
  };
  addEventListener("load", async () => {
    for (const printed of document.querySelectorAll(".cell_output pre"))
      printed.classList.toggle("columns", /\S {2,}\S/.test(printed.textContent));
    await window.MathJax?.startup?.promise;
    mark();
  });
  addEventListener("resize", mark);
})();
