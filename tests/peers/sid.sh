# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The perf of Debian sid, for tests/peers: source it after tests/lib.sh.
#
# It is downloaded with the libraries that it needs (45 MB) and unpacked, not installed: it runs with
# its own dynamic loader.  It is kept in
#   $PEERS_CACHE       default: /var/cache/perf-kmem-peers, or build/peers if that cannot be written

# sid_apt COMMAND...: apt of a system that has only sid's archive, and no package
sid_apt() {
	APT_CONFIG=$cache/apt.conf "$@" -qq
}

# An empty system; its archive's signatures are checked, but not their age: a mirror may be frozen.
prepare_apt() {
	mkdir -p "$cache"/{state/lists/partial,archives/partial,empty/preferences.d}
	: >"$cache/status"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${PEERS_MIRROR:-http://deb.debian.org/debian} sid main" \
		>"$cache/sources.list"
	cat >"$cache/apt.conf" <<-EOF
		Dir::Etc "$cache/empty";
		Dir::Etc::sourcelist "$cache/sources.list";
		Dir::Etc::sourceparts "$cache/empty";
		Dir::Etc::parts "$cache/empty";
		Dir::State "$cache/state";
		Dir::State::status "$cache/status";
		Dir::Cache "$cache";
		Dir::Cache::archives "$cache/archives";
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Check-Valid-Until "false";
		Acquire::Retries "3";
	EOF
}

# unpack VERSION: linux-perf and its libraries are in $cache/VERSION
unpack() {
	local package
	[[ ! -e $cache/$1/usr/bin/perf ]] || return 0
	sid_apt apt-get install -y --download-only linux-perf >"$TMP/apt.log" 2>&1
	rm -rf "$cache/part"
	mkdir "$cache/part"
	for package in "$cache"/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x -C "$cache/part" --exclude='./usr/share/*'
	done
	rm -rf "$cache/archives" "${cache:?}/$1"
	mv "$cache/part" "$cache/$1"
}

cache=${PEERS_CACHE:-/var/cache/perf-kmem-peers}
mkdir -p "$cache" 2>/dev/null && [[ -w $cache ]] || cache=$ROOT/build/peers

# Prints the command that runs sid's perf, or one line that says why there is none.
sid() {
	local version=
	prepare_apt
	if sid_apt apt-get update >"$TMP/apt.log" 2>&1; then
		version=$(sid_apt apt-cache show linux-perf | sed -n 's/^Version: //p' | head -n 1)
	else
		# without the archive, the one that is there is used
		version=$(find "$cache" -maxdepth 1 -name '[0-9]*' -printf '%f\n' | sort -V | tail -n 1)
	fi
	if [[ -z $version ]] || ! unpack "$version"; then
		echo "the perf of sid cannot be had: $(tail -n 1 "$TMP/apt.log")"
		return 1
	fi
	find "$cache/$version" -name 'ld-linux*.so.*' -o -name 'libc.so.6' | sort | {
		local file loader="" libraries=""
		while read -r file; do
			case $file in
			*/libc.so.6) libraries=${libraries:-${file%/*}} ;;
			*) loader=${loader:-$file} ;;
			esac
		done
		echo "$loader --library-path $libraries $cache/$version/usr/bin/perf"
	}
}
