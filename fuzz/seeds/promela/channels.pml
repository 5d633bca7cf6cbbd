chan c[25] = [655] of { int, int, int };
init { c[0]!1,2,3 }
