#!/bin/bash
# A real S3 server for tests: single-node Ceph with its object gateway on loopback, from Debian's packages.
#
#   apt-get install -y --no-install-recommends ceph-mon ceph-osd radosgw
#
#   ceph-s3.sh start     start, wait until S3 answers, create the user and the bucket, print how to reach it
#   ceph-s3.sh stop      stop what `start` started (by process id) and remove its folder
#   ceph-s3.sh run CMD   start, run CMD with TEST_S3_ENDPOINT, TEST_S3_BUCKET and AWS_* set, stop; CMD's status
#
# Settings: CEPH_S3_DIR  CEPH_S3_PORT  CEPH_S3_MON_PORT  CEPH_S3_BUCKET  CEPH_S3_OBJECTSTORE=memstore|bluestore
set -euo pipefail

dir=${CEPH_S3_DIR:-${TMPDIR:-/tmp}/ceph-s3}
port=${CEPH_S3_PORT:-17480}
mon_port=${CEPH_S3_MON_PORT:-13300}
bucket=${CEPH_S3_BUCKET:-programs}
objectstore=${CEPH_S3_OBJECTSTORE:-memstore}
access_key=testkey
secret_key=testsecret
conf="$dir/ceph.conf"
endpoint="http://127.0.0.1:$port"

is_up() { [ -f "$dir/$1.pid" ] && kill -0 "$(cat "$dir/$1.pid")" 2>/dev/null; }

in_background() {
  local name=$1
  shift
  setsid "$@" >"$dir/$name.out" 2>&1 </dev/null &
  echo $! >"$dir/$name.pid"
}

has_ended() { ! kill -0 "$1" 2>/dev/null || [ "$(ps -o stat= -p "$1" | cut -c1)" = Z ]; }

stop() {
  local name pid
  for name in rgw osd mon; do
    [ -f "$dir/$name.pid" ] || continue
    pid=$(cat "$dir/$name.pid")
    kill -TERM "$pid" 2>/dev/null || true
    for _ in $(seq 40); do
      has_ended "$pid" && break
      sleep .1
    done
    kill -KILL "$pid" 2>/dev/null || true
  done
  rm -rf "$dir"
}

write_conf() {
  cat >"$conf" <<CONF
[global]
fsid = $1
mon_host = [v2:127.0.0.1:$mon_port]
mon_initial_members = a
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
ms_bind_ipv4 = true
ms_bind_ipv6 = false
ms_bind_msgr1 = false
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
keyring = $dir/keyring
run_dir = $dir/run
admin_socket = $dir/run/\$name.asok
log_file = $dir/\$name.log
mon_cluster_log_file = $dir/cluster.log
crash_dir = $dir/run
pid_file =
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data = $dir/mon
mon_data_avail_crit = 1
mon_data_avail_warn = 1
ms_mon_client_mode = crc
mon_warn_on_insecure_global_id_reclaim = false
auth_allow_insecure_global_id_reclaim = false
osd_data = $dir/osd
osd_objectstore = $objectstore
memstore_device_bytes = 2147483648
bluestore_block_size = 4294967296
bluestore_block_db_create = false
bluestore_block_wal_create = false
osd_class_load_list = *
osd_class_default_list = *
osd_max_object_name_len = 460
osd_memory_target = 939524096
bluestore_cache_autotune = false
bluestore_cache_size = 67108864
paxos_propose_interval = 0.05
paxos_min_wait = 0.01
[client.rgw]
rgw_data = $dir/rgw
rgw_frontends = beast endpoint=127.0.0.1:$port tcp_nodelay=1
rgw_dns_name = localhost
rgw_thread_pool_size = 32
rgw_enable_gc_threads = false
rgw_enable_lc_threads = false
rgw_enable_quota_threads = false
rgw_run_sync_thread = false
rgw_enable_usage_log = false
rgw_dynamic_resharding = false
rgw_override_bucket_index_max_shards = 1
rgw_verify_ssl = false
CONF
}

start_monitor() {
  printf '[mon.]\n\tkey = AQDAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAA==\n\tcaps mon = "allow *"\n' >"$dir/keyring"
  monmaptool --create --fsid "$1" --addv a "[v2:127.0.0.1:$mon_port]" "$dir/monmap" >"$dir/mkfs.log" 2>&1
  ceph-mon -c "$conf" -i a --mkfs --monmap "$dir/monmap" --keyring "$dir/keyring" >>"$dir/mkfs.log" 2>&1
  in_background mon ceph-mon -c "$conf" -i a -f
  for _ in $(seq 100); do
    timeout 5 ceph -c "$conf" --connect-timeout 2 mon stat >/dev/null 2>&1 && return
    sleep .1
  done
  echo "the monitor did not come up" >&2
  return 1
}

start_storage() {
  local osd_id
  osd_id=$(cat /proc/sys/kernel/random/uuid)
  ceph -c "$conf" osd new "$osd_id" >/dev/null
  ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$osd_id" >>"$dir/mkfs.log" 2>&1
  in_background osd ceph-osd -c "$conf" -i 0 -f
}

start_gateway() {
  in_background rgw radosgw -c "$conf" -n client.rgw -f
  for _ in $(seq 600); do
    is_up rgw || break
    [ "$(curl -s -o /dev/null -m 2 -w '%{http_code}' "$endpoint/" || true)" = 200 ] && return
    sleep .1
  done
  echo "the gateway did not come up" >&2
  tail -20 "$dir/rgw.out" "$dir/client.rgw.log" >&2
  return 1
}

create_user_and_bucket() {
  radosgw-admin -c "$conf" -n client.rgw user create --uid=test --display-name=test \
    --access-key="$access_key" --secret-key="$secret_key" >"$dir/user.json" 2>>"$dir/mkfs.log"
  # Older curl does not sign the digest of an empty body by itself.
  curl -fsS -X PUT -H "x-amz-content-sha256: $(sha256sum </dev/null | cut -d " " -f 1)" \
    --aws-sigv4 aws:amz:us-east-1:s3 --user "$access_key:$secret_key" "$endpoint/$bucket"
}

start() {
  if is_up rgw; then
    echo "already up: $endpoint" >&2
    return
  fi
  rm -rf "$dir"
  mkdir -p "$dir"/{mon,osd,run}
  chmod 700 "$dir"
  local fsid
  fsid=$(cat /proc/sys/kernel/random/uuid)
  write_conf "$fsid"
  start_monitor "$fsid"
  start_storage
  start_gateway
  create_user_and_bucket
}

show() {
  echo "STORE_URL=s3://$bucket AWS_ENDPOINT_URL_S3=$endpoint AWS_REGION=us-east-1" \
    "AWS_ACCESS_KEY_ID=$access_key AWS_SECRET_ACCESS_KEY=$secret_key"
}

case ${1:-} in
  start)
    start
    show
    ;;
  stop) stop ;;
  run)
    shift
    trap stop EXIT
    start
    TEST_S3_ENDPOINT=$endpoint TEST_S3_BUCKET=$bucket AWS_ENDPOINT_URL_S3=$endpoint AWS_REGION=us-east-1 \
      AWS_ACCESS_KEY_ID=$access_key AWS_SECRET_ACCESS_KEY=$secret_key "$@"
    ;;
  *)
    sed -n '2,10p' "$0"
    exit 2
    ;;
esac
