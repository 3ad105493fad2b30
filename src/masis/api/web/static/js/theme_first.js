// Runs before anything is drawn, so that a chosen theme does not flash the other one.
try {
  document.documentElement.dataset.theme = localStorage.getItem("masis.theme") || "system";
} catch {
  document.documentElement.dataset.theme = "system";
}
