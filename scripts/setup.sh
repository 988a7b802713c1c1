#!/bin/sh
# SPDX-License-Identifier: MIT
# Finds out which Debian packages are missing and, as root, installs them.
#
#   scripts/setup.sh [--verify] build|unit|test
#
#   build   what `make` needs
#   unit    what `make test` needs as well
#   test    what `make check` needs as well: linters, the virtual machine, the tools that ssdct is compared with
#
# Nothing is installed with --verify, without root, with SETUP=no, under fakeroot or in a package build: then the missing
# packages are named and the exit status is 1. Things are looked for by what they provide, not by package, so that other
# distributions and CC=, PKG_CONFIG=, PYTHON= work too.
set -u

# Set, package, how to see that it is there.
packages() {
	cat <<-'TABLE'
	build  gcc               command ${CC:-cc}
	build  libc6-dev         header stdio.h
	build  make              command make
	build  pkg-config        command ${PKG_CONFIG:-pkg-config}
	build  libnvme-dev       header libnvme.h
	build  libjansson-dev    library jansson
	build  libarchive-dev    header archive.h
	build  libxml2-dev       library libxml-2.0
	build  nettle-dev        header nettle/sha2.h
	build  libblkid-dev      header blkid/blkid.h
	build  zlib1g-dev        header zlib.h
	build  liburing-dev      header liburing.h
	unit   check             library check
	unit   python3           command ${PYTHON:-python3}
	test   clang             command clang
	test   clang-format      command clang-format
	test   clang-tidy        command clang-tidy
	test   cppcheck          command cppcheck
	test   nvme-cli          command nvme
	test   smartmontools     command smartctl
	test   qemu-system-x86   command qemu-system-x86_64
	test   busybox-static    command busybox
	test   kmod              command modprobe
	test   lvm2              command lvm
	test   cryptsetup-bin    command cryptsetup
	test   qemu-user         command qemu-s390x
	test   gcc-s390x-linux-gnu    command s390x-linux-gnu-gcc
	test   libc6-dev-s390x-cross  cross s390x-linux-gnu-gcc
	test   fio               command fio
	test   valgrind          command valgrind
	test   chromium-headless-shell command chromium-headless-shell
	TABLE
}

# A command may come with options (CC="ccache gcc"): only its first word must exist. libnvme is looked for by its header:
# Debian's libnvme.pc names private dependencies that libnvme-dev does not bring, so that `pkg-config --exists` fails.
have() { # KIND ARGUMENT
	case $1 in
	command) PATH=$PATH:/usr/sbin:/sbin command -v "${2%% *}" >/dev/null ;;
	header) echo "#include <$2>" | ${CC:-cc} ${CPPFLAGS:-} ${CFLAGS:-} -E - >/dev/null 2>&1 ;;
	cross) echo '#include <stdio.h>' | "$2" -E - >/dev/null 2>&1 ;;
	library) ${PKG_CONFIG:-pkg-config} --exists "$2" 2>/dev/null ;;
	esac
}

missing() { # SET...
	packages | while read -r set package kind argument; do
		case " $* " in *" $set "*) ;; *) continue ;; esac
		eval "argument=\"$argument\""
		have "$kind" "$argument" || echo "$package"
	done
}

# Why nothing may be installed here; empty when it may.
forbidden() {
	if [ "$verify" = yes ]; then
		echo "this step installs nothing"
	elif [ "${SETUP:-}" = no ]; then
		echo "SETUP=no"
	elif [ -n "${FAKEROOTKEY:-}" ]; then
		echo "running under fakeroot"
	elif [ -n "${DEB_BUILD_ARCH:-}${DEB_HOST_ARCH:-}${DEB_BUILD_OPTIONS:-}${RPM_PACKAGE_NAME:-}${RPM_BUILD_ROOT:-}" ]; then
		echo "running in a package build"
	elif ! command -v apt-get >/dev/null; then
		echo "there is no apt-get here; the names are Debian's"
	elif [ "$(id -u)" -ne 0 ]; then
		echo "not running as root"
	fi
}

install() { # PACKAGE...
	echo "setup: installing $*"
	DEBIAN_FRONTEND=noninteractive
	export DEBIAN_FRONTEND
	apt-get update -q -o DPkg::Lock::Timeout=120 &&
		apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=120 "$@"
}

verify=no
if [ "${1:-}" = --verify ]; then
	verify=yes
	shift
fi
case ${1:-} in
build) sets="build" ;;
unit) sets="build unit" ;;
test) sets="build unit test" ;;
*)
	echo "usage: $0 [--verify] build|unit|test" >&2
	exit 2
	;;
esac

# shellcheck disable=SC2086 # a list of words
list=$(missing $sets | tr '\n' ' ')
[ -n "$list" ] || exit 0

reason=$(forbidden)
if [ -n "$reason" ]; then
	echo "Packages are missing ($reason). Install them with:" >&2
	echo "    apt-get install -y --no-install-recommends ${list% }" >&2
	exit 1
fi
# shellcheck disable=SC2086
install $list || exit 1
# shellcheck disable=SC2086
list=$(missing $sets | tr '\n' ' ')
if [ -n "$list" ]; then
	echo "Still missing after the installation: $list" >&2
	exit 1
fi
