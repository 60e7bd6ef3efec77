# SPDX-License-Identifier: GPL-2.0-or-later
# nix-build packaging. The modules of d3 are not packaged: --format html is missing unless d3 is a
# folder with npm's d3, d3-path, d3-shape and d3-hierarchy.
{ pkgs ? import <nixpkgs> { }, d3 ? null }:

pkgs.stdenv.mkDerivation {
  pname = "perf-kmem";
  version = pkgs.lib.fileContents ../VERSION;
  src = pkgs.lib.cleanSource ../.;

  nativeBuildInputs = with pkgs; [ asciidoctor bpftools llvmPackages.clang-unwrapped pkg-config protobufc ];
  buildInputs = with pkgs; [ elfutils libbpf libiberty libtraceevent libunwind ncurses protobufc xz zlib zstd ];

  postPatch = "patchShebangs scripts";
  makeFlags = [ "PREFIX=${placeholder "out"}" "LTO=" ] ++ pkgs.lib.optional (d3 != null) "D3=${d3}";

  meta = {
    description = "Who allocates, wastes and leaks the Linux kernel's memory";
    license = pkgs.lib.licenses.gpl2Plus;
    platforms = pkgs.lib.platforms.linux;
    mainProgram = "perf-kmem";
  };
}
