# A package for Nix: nix-build -E 'with import <nixpkgs> {}; callPackage ./packaging/nix/package.nix {}'
#
# It installs the program of the archive that `make tarball` makes, because nixpkgs may have an older Swift than the sources
# need. Put the archive into .build/packages first. This recipe has not been tried.
{ lib, stdenv, autoPatchelfHook, curl, libyaml, lz4, openssl, sqlite, zlib }:

stdenv.mkDerivation rec {
  pname = "bgfetch";
  version = "0.1.0";

  src = ../../.build/packages + "/bgfetch-${version}-linux-${stdenv.hostPlatform.parsed.cpu.name}.tar.gz";

  nativeBuildInputs = [ autoPatchelfHook ];
  buildInputs = [ stdenv.cc.cc.lib libyaml sqlite ];
  # The program loads these by name when a feed is due.
  runtimeDependencies = map lib.getLib [ curl lz4 openssl zlib ];

  dontBuild = true;

  installPhase = ''
    runHook preInstall
    mkdir -p $out
    cp -R bin lib share $out/
    for unit in $out/lib/systemd/*/*.service; do
      substituteInPlace $unit --replace-fail /usr/local/bin $out/bin
    done
    runHook postInstall
  '';

  meta = {
    description = "Background fetch for feeds, podcasts, releases and files";
    license = lib.licenses.mit;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "bgfetch";
  };
}
