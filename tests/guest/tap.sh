# SPDX-License-Identifier: GPL-2.0-only
# For suites that still name this file: see lib.sh.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
