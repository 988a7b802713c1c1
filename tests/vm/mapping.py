# SPDX-License-Identifier: MIT
"""What nvme-cli and smartctl call a value, where ssdct says it, and how the one becomes the other.

A row is (their key, path in ssdct's object, conversion). A key of theirs that no row names fails the test, and so does a
value of ssdct that neither a row nor OURS_ALONE accounts for. Where the two programs do not say the same, the conversion
says why ssdct's way is the right one; the run lists every value that it was needed for.
"""


def conversion(reason):
    """Marks a function with the reason why what ssdct says differs from what they say, and why ssdct's way is right."""
    def mark(function):
        function.reason = reason
        return function
    return mark


@conversion("")
def same(value):
    return value


@conversion("the padding of the fixed-width field is not part of the text (specification: padded with spaces)")
def trimmed(value):
    return value.strip() or None


@conversion("nvme-cli 2.3 prints counters of 128 bits as strings; a number, with all digits beside it, is easier to use")
def number(value):
    return int(value)


def times(factor):
    @conversion(f"they print the raw number, ssdct multiplies by the {factor} that the specification says it counts in")
    def convert(value):
        return int(value) * factor
    return convert


def null_zero(function):
    @conversion('0 means "not reported" or "none" in the specification, and null is what ssdct says for that')
    def convert(value):
        return function(value) if int(value) else None
    return convert


@conversion('kelvin in the drive, Celsius for people; 0 K is "not reported"')
def celsius(kelvin):
    return kelvin - 273 if kelvin else None


@conversion("a version number is read as 1.4.0, not as 66560")
def version(value):
    return f"{value >> 16}.{value >> 8 & 255}.{value & 255}" if value else None


@conversion("an OUI is written in hexadecimal")
def oui(value):
    return f"{value:06x}" if value else None


@conversion("an identifier of zeros only is none; dashes are theirs")
def identifier(value):
    digits = value.replace("-", "")
    return digits if digits.strip("0") else None


@conversion("UNVMCAP says nothing where TNVMCAP is not reported, as in all drives here")
def none_without_capacity(value):
    return int(value) or None


@conversion("they print the exponent (LBADS), ssdct the size")
def power_of_two(value):
    return 1 << value


@conversion("a node is named without /dev/")
def node(path):
    return path.replace("/dev/", "")


@conversion("a tag of one bit is true or false")
def boolean(value):
    return bool(value)


ID_CTRL = [
    ("vid", "vid", same), ("ssvid", "ssvid", same),
    ("sn", "sn", trimmed), ("mn", "mn", trimmed), ("fr", "fr", trimmed),
    ("rab", "rab", same), ("ieee", "ieee", oui), ("cmic", "cmic", same), ("mdts", "mdts", same),
    ("cntlid", "cntlid", same), ("ver", "ver", version),
    ("rtd3r", "rtd3r_us", null_zero(same)), ("rtd3e", "rtd3e_us", null_zero(same)),
    ("oaes", "oaes", same), ("ctratt", "ctratt", same), ("rrls", "rrls", same),
    ("cntrltype", "cntrltype", null_zero(same)), ("fguid", "fguid", identifier),
    ("crdt1", "crdt1_ms", times(100)), ("crdt2", "crdt2_ms", times(100)), ("crdt3", "crdt3_ms", times(100)),
    ("nvmsr", "nvmsr", same), ("vwci", "vwci", same), ("mec", "mec", same),
    ("oacs", "oacs", same), ("acl", "acl", same), ("aerl", "aerl", same), ("frmw", "frmw", same), ("lpa", "lpa", same),
    ("elpe", "elpe", same), ("npss", "npss", same), ("avscc", "avscc", same), ("apsta", "apsta", same),
    ("wctemp", "wctemp_celsius", celsius), ("cctemp", "cctemp_celsius", celsius),
    ("mtfa", "mtfa_ms", null_zero(times(100))),
    ("hmpre", "hmpre_bytes", times(4096)), ("hmmin", "hmmin_bytes", times(4096)),
    ("tnvmcap", "tnvmcap_bytes", null_zero(number)), ("unvmcap", "unvmcap_bytes", none_without_capacity),
    ("rpmbs", "rpmbs", same), ("edstt", "edstt_minutes", null_zero(same)), ("dsto", "dsto", same),
    ("fwug", "fwug", same), ("kas", "kas_ms", null_zero(times(100))), ("hctma", "hctma", same),
    ("mntmt", "mntmt_celsius", celsius), ("mxtmt", "mxtmt_celsius", celsius), ("sanicap", "sanicap", same),
    ("hmminds", "hmminds_bytes", null_zero(times(4096))), ("hmmaxd", "hmmaxd", null_zero(same)),
    ("nsetidmax", "nsetidmax", same), ("endgidmax", "endgidmax", same), ("anatt", "anatt_seconds", null_zero(same)),
    ("anacap", "anacap", same), ("anagrpmax", "anagrpmax", same), ("nanagrpid", "nanagrpid", same),
    ("pels", "pels_bytes", null_zero(times(65536))), ("domainid", "domainid", null_zero(same)),
    ("megcap", "megcap_bytes", null_zero(number)),
    ("sqes", "sqes", same), ("cqes", "cqes", same), ("maxcmd", "maxcmd", null_zero(same)), ("nn", "nn", same),
    ("oncs", "oncs", same), ("fuses", "fuses", same), ("fna", "fna", same), ("vwc", "vwc", same),
    ("awun", "awun", same), ("awupf", "awupf", same), ("icsvscc", "icsvscc", same), ("nwpc", "nwpc", same),
    ("acwu", "acwu", same), ("ocfs", "ocfs", same), ("sgls", "sgls", same), ("mnan", "mnan", same),
    ("maxdna", "maxdna", number), ("maxcna", "maxcna", same), ("subnqn", "subnqn", trimmed),
    ("ioccsz", "ioccsz_bytes", times(16)), ("iorcsz", "iorcsz_bytes", times(16)), ("icdoff", "icdoff_bytes", times(16)),
    ("fcatt", "fcatt", same), ("msdbd", "msdbd", same), ("ofcs", "ofcs", same),
]

# Power states, element by element. Their powers are raw numbers with a scale beside them.
POWER_STATE = [
    ("flags", "flags", same), ("entry_lat", "entry_latency_us", null_zero(same)),
    ("exit_lat", "exit_latency_us", null_zero(same)), ("read_tput", "relative_read_throughput", same),
    ("read_lat", "relative_read_latency", same), ("write_tput", "relative_write_throughput", same),
    ("write_lat", "relative_write_latency", same), ("active_power_work", "active_power_workload", same),
]

ID_NS = [
    ("nsze", "nsze", same), ("ncap", "ncap", same), ("nuse", "nuse", same), ("nsfeat", "nsfeat", same),
    ("nlbaf", "nlbaf", same), ("flbas", "flbas", same), ("mc", "mc", same), ("dpc", "dpc", same), ("dps", "dps", same),
    ("nmic", "nmic", same), ("rescap", "rescap", same), ("fpi", "fpi", same), ("dlfeat", "dlfeat", same),
    ("nawun", "nawun", same), ("nawupf", "nawupf", same), ("nacwu", "nacwu", same), ("nabsn", "nabsn", same),
    ("nabo", "nabo", same), ("nabspf", "nabspf", same), ("noiob", "noiob", null_zero(same)),
    ("nvmcap", "nvmcap_bytes", null_zero(number)), ("nsattr", "nsattr", same), ("nvmsetid", "nvmsetid", null_zero(same)),
    ("npwg", "npwg", same), ("npwa", "npwa", same), ("npdg", "npdg", same), ("npda", "npda", same), ("nows", "nows", same),
    ("mssrl", "mssrl", same), ("mcl", "mcl", same), ("msrc", "msrc", same), ("nulbaf", "nulbaf", same),
    ("anagrpid", "anagrpid", null_zero(same)), ("endgid", "endgid", null_zero(same)),
    ("eui64", "eui64", identifier), ("nguid", "nguid", identifier),
]

@conversion("a bit says whether the field is defined (NSFEAT 1 and 4, ONCS 8), and here it does not; they print what is there")
def undefined(_):
    return None


def id_ns(nsfeat, oncs):
    """The rows for a namespace with these bits, on a controller with those."""
    fields = [(nsfeat & 2, {"nawun", "nawupf", "nacwu"}), (nsfeat & 16, {"npwg", "npwa", "npdg", "npda", "nows"}),
              (oncs & 256, {"mssrl", "mcl", "msrc"})]
    without = set().union(*(keys for bit, keys in fields if not bit))
    return [(key, path, undefined if key in without else convert) for key, path, convert in ID_NS]


LBA_FORMAT = [("ms", "metadata_bytes", same), ("ds", "data_bytes", power_of_two),
              ("rp", "relative_performance", same)]

SMART = [
    ("critical_warning", "critical_warning", same), ("temperature", "temperature_celsius", celsius),
    ("avail_spare", "available_spare_percent", same), ("spare_thresh", "available_spare_threshold_percent", same),
    ("percent_used", "percentage_used", same),
    ("endurance_grp_critical_warning_summary", "endurance_group_critical_warning", same),
    ("data_units_read", "data_units_read", number), ("data_units_read", "data_read_bytes", times(512000)),
    ("data_units_written", "data_units_written", number), ("data_units_written", "data_written_bytes", times(512000)),
    ("host_read_commands", "host_read_commands", number), ("host_write_commands", "host_write_commands", number),
    ("controller_busy_time", "controller_busy_minutes", number), ("power_cycles", "power_cycles", number),
    ("power_on_hours", "power_on_hours", number), ("unsafe_shutdowns", "unsafe_shutdowns", number),
    ("media_errors", "media_errors", number), ("num_err_log_entries", "error_log_entries", number),
    ("warning_temp_time", "warning_temperature_minutes", same), ("critical_comp_time", "critical_temperature_minutes", same),
    ("thm_temp1_trans_count", "tmt1_transition_count", same), ("thm_temp2_trans_count", "tmt2_transition_count", same),
    ("thm_temp1_total_time", "tmt1_seconds", same), ("thm_temp2_total_time", "tmt2_seconds", same),
]

# smartctl: nvme_smart_health_information_log. Temperatures are in Celsius already.
SMARTCTL = [
    ("critical_warning", "critical_warning", same), ("temperature", "temperature_celsius", same),
    ("available_spare", "available_spare_percent", same),
    ("available_spare_threshold", "available_spare_threshold_percent", same), ("percentage_used", "percentage_used", same),
    ("data_units_read", "data_units_read", same), ("data_units_written", "data_units_written", same),
    ("host_reads", "host_read_commands", same), ("host_writes", "host_write_commands", same),
    ("controller_busy_time", "controller_busy_minutes", same), ("power_cycles", "power_cycles", same),
    ("power_on_hours", "power_on_hours", same), ("unsafe_shutdowns", "unsafe_shutdowns", same),
    ("media_errors", "media_errors", same), ("num_err_log_entries", "error_log_entries", same),
    ("warning_temp_time", "warning_temperature_minutes", same), ("critical_comp_time", "critical_temperature_minutes", same),
]

# The bits that smartctl names, where any is set.
SMARTCTL_WARNING = [
    ("value", "value", same), ("spare_below_threshold", "available_spare", same),
    ("temperature_above_or_below_threshold", "temperature", same), ("reliability_degraded", "reliability", same),
    ("media_read_only", "read_only", same), ("volatile_memory_backup_failed", "volatile_backup", same),
    ("persistent_memory_region_unreliable", "persistent_memory", same),
]

ERROR_ENTRY = [
    ("error_count", "error_count", same), ("sqid", "sqid", same), ("cmdid", "cmdid", same),
    ("status_field", "status.value", same), ("phase_tag", "phase_tag", boolean),
    ("parm_error_location", "parameter_error_location", same), ("lba", "lba", same), ("nsid", "nsid", null_zero(same)),
    ("vs", "vendor_log_page", null_zero(same)), ("trtype", "transport", null_zero(same)),
    ("cs", "command_specific", same), ("trtype_spec_info", "transport_specific", same),
]

LIST_NAMESPACE = [("NameSpace", "nsid", same), ("DevicePath", "device", node),
                  ("PhysicalSize", "size_bytes", same), ("SectorSize", "block_bytes", same)]

# Values of ssdct for which the other tools' JSON has no counterpart, and what vouches for them instead.
OURS_ALONE = {
    "id_ctrl": {"fwug_bytes": "FWUG times 4096, compared as fwug", "dctype": "nvme-cli 2.3 does not print it in JSON",
                "psd": "compared element by element"},
    "id_ns": {"lbaf": "compared element by element", "lba_format": "derived from flbas",
              "size_bytes": "NSZE times the block size, compared with nvme list",
              "capacity_bytes": "NCAP times the block size, compared with nvme list",
              "utilization_bytes": "NUSE times the block size, compared as nuse",
              "block_bytes": "compared with nvme list", "metadata_bytes": "compared with the list of formats"},
    "smart": {"temperature_sensors": "QEMU's drives have none; unit tests"},
}

# What nvme list prints of a namespace and ssdct does not, or not so; each is checked in compare.py.
LIST_OTHERWISE = {
    "MaximumLBA": "theirs is the number of blocks, one more than the largest address: size_bytes / block_bytes",
    "UsedBytes": "NUSE says nothing on a drive without thin provisioning (NSFEAT bit 0): utilization_bytes in show is null",
    "Firmware": "of the controller: compared with sysfs", "ModelNumber": "of the controller: compared with sysfs",
    "SerialNumber": "of the controller: compared with sysfs",
}
