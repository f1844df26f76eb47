// SPDX-License-Identifier: GPL-2.0-only
// Puts the page together.
showTheme();
showHead();
setUpFlame();
setUpSeries();
setUpPast();
setUpRows();
showFlame();
setUpParts();
setUpHistograms();
let pending = 0;
addEventListener("resize", () => {
	clearTimeout(pending);
	pending = setTimeout(() => shown && shown.value && showFrames(), 200);
});
document.documentElement.dataset.ready = "yes";
