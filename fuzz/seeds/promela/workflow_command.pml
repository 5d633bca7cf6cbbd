init { printf("\n::error::x\n"); printf("\033[2J"); assert(false) }
