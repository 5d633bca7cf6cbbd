chan c[250] = [65535] of { int, int, int };
init { c[0]!1,2,3 }
