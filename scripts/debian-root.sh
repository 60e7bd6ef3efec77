# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bare Debian roots, for scripts/check-fresh and others: source it as root, in a mount namespace of
# its own (enter_namespace), from the top of the tree.
#
#   $suite  the suite, such as bookworm
#   $work   a directory for logs; the roots in it are removed at the end
#   $root   the root that the functions use
#   $keep   not empty: keep $work, and print its path
#
# The package mirror and apt's configuration are this machine's. The bare root is kept as a tarball
# in /var/cache/perf-kmem-fresh, so only the first run downloads it.

# All mounts, including those made by what runs in a root, vanish with this namespace.
enter_namespace() {
	[[ -v IN_NAMESPACE ]] || IN_NAMESPACE=1 exec unshare -m --propagation private "$0" "$@"
}

need_root() {
	local name=${0##*/}
	if ((EUID != 0)); then
		echo "$name: needs root (chroot, mounts)" >&2
		exit 1
	fi
	if ! command -v debootstrap >/dev/null; then
		echo "$name: needs debootstrap (apt-get install debootstrap)" >&2
		exit 1
	fi
}

# The first Debian mirror that apt is configured with, one-line or deb822 style.
mirror=$(sed -nE 's/^URIs:[[:space:]]*([^[:space:]]+).*/\1/p; s/^deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+).*/\2/p' \
	/etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
	grep -m 1 '/debian/*$' || true)
[[ -n $mirror ]] || mirror=$(sed -n 's/^DEF_HTTPS\{0,1\}_MIRROR="\(.*\)"/\1/p' /usr/share/debootstrap/functions | head -n 1)

cache=/var/cache/perf-kmem-fresh

cleanup() {
	local status=$? mount
	set +e
	# the last mounted first
	awk -v below="$work/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts | tac |
		while read -r mount; do
			umount -R "$mount" 2>/dev/null || umount -l "$mount"
		done
	# Never remove a tree in which something is still mounted.
	if grep -q " $work/" /proc/self/mounts; then
		echo "${0##*/}: something is still mounted below $work; not removed" >&2
	elif [[ -n $keep ]]; then
		echo "${0##*/}: the root is $root"
	else
		rm -rf --one-file-system "$work"
	fi
	exit "$status"
}

bind() {
	mkdir -p "$root$1"
	mount --bind "$1" "$root$1"
}

# A bare Debian in $root, where apt works as it does outside.
make_root() {
	local script file dir tarball=$cache/$suite.tar
	mkdir -p "$cache" "$root"
	if [[ ! -s $tarball ]]; then
		echo "== debootstrap --variant=minbase $suite"
		# sid's script works for suites that this debootstrap does not know
		script=/usr/share/debootstrap/scripts/$suite
		[[ -e $script ]] || script=/usr/share/debootstrap/scripts/sid
		debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"} "$script" >"$work/log" 2>&1 || {
			tail -n 30 "$work/log" >&2
			exit 1
		}
		tar -C "$root" -cf "$tarball.new" .
		mv "$tarball.new" "$tarball"
	else
		tar -C "$root" -xf "$tarball"
	fi

	# apt is configured inside as it is outside: proxies, certificates, pinned dates.  Sources are
	# copied only if they are for the same suite.
	mkdir -p "$root/etc/apt/apt.conf.d"
	for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/* /etc/apt/auth.conf /etc/apt/auth.conf.d/*; do
		case $file in
		*docker* | */70debconf | */01autoremove* | */50appstream | */20packagekit) continue ;;
		esac
		[[ ! -f $file ]] || install -D -m 600 "$file" "$root$file"
	done
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
		if grep -qsw "$suite" "$file"; then
			# a source may refer to its key by path
			install -D -m 644 "$file" "$root$file"
		fi
	done
	for dir in /etc/apt/keyrings /etc/apt/trusted.gpg.d /usr/share/keyrings; do
		[[ ! -d $dir ]] || { mkdir -p "$root$dir" && cp -rn "$dir/." "$root$dir/"; }
	done
	if [[ -f $root/etc/apt/sources.list.d/debian.sources ]]; then : >"$root/etc/apt/sources.list"; fi
	# _apt must be able to read what was copied
	chmod -R a+rX "$root/etc/apt"
	for file in /etc/resolv.conf /etc/hosts; do
		[[ ! -e $file ]] || cp -L "$file" "$root$file"
	done
	if [[ -d /usr/local/share/ca-certificates ]]; then
		mkdir -p "$root/usr/local/share/ca-certificates" "$root/etc/ssl/certs"
		cp -rL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
		[[ ! -f /etc/ssl/certs/ca-certificates.crt ]] || cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
	fi

	mount_root
}

# Without tracefs, debugfs and /dev/pts: on a bare machine, record has to mount tracefs itself.
mount_root() {
	local dir

	for dir in /proc /sys /dev /dev/shm; do
		if mountpoint -q "$dir"; then bind "$dir"; fi
	done
}

# A clone, not a copy: what is not committed is not included.  git is run outside,
# because the bare root has none.
clone_into_root() {
	git -c advice.detachedHead=false clone -q --no-local . "$root/root/perf-kmem"
}

in_root() {
	chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		TERM="${TERM:-dumb}" LC_ALL=C.UTF-8 \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		${no_proxy:+no_proxy="$no_proxy"} "$@"
}

nr_packages() {
	in_root dpkg-query -f '.\n' -W | wc -l
}

# A command in the root; if it fails, its output is shown and the (sub)shell ends.
step() {
	echo "   $*"
	in_root "$@" >"$work/step" 2>&1 </dev/null || {
		tail -n 30 "$work/step"
		exit 1
	}
}

apt_step() { step env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 "$@"; }
