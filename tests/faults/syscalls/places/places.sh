# Writes two files. Usage: places.sh self|child|grandchild DIR
case $1 in
  self)
    for name in first second; do
      printf 'hello world' 2>/dev/null >"$2/$name" || exit 3
    done
    ;;
  child) bash "$0" self "$2" || exit 3 ;;
  grandchild) bash "$0" child "$2" || exit 3 ;;
esac
