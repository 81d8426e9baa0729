// A formula or a table that is wider than the screen scrolls by itself: by keyboard, too.
(() => {
  const mark = () => {
    for (const box of document.querySelectorAll('mjx-container[display="true"], .pst-scrollable-table-container'))
      box.scrollWidth > box.clientWidth ? box.tabIndex = 0 : box.removeAttribute("tabindex");
  };
  addEventListener("load", async () => { await window.MathJax?.startup?.promise; mark(); });
  addEventListener("resize", mark);
})();
