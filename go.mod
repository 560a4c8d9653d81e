module chordsim

go 1.26
