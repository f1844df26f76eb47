// SPDX-License-Identifier: GPL-2.0-only
// What the page shows. Of a history (past) it has intervals; range.js makes the rest of it.
const data = JSON.parse(document.getElementById("data").textContent);
const past = data.history;
