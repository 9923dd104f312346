#!/usr/bin/env perl
# Makes a worker the leader when the lease has run out. Usage: program.pl op|recover|check DIR [WORKER]
use strict;
use warnings;
use Errno 'EEXIST';
use Fcntl;

my ($verb, $dir, $worker) = @ARGV;
$worker //= 'a';
my $lasting = "9999999999\n"; # until it is given up

my %verbs = (
    op => sub {
        if (-e "$dir/lease") {
            open my $old, '<', "$dir/lease" or die "cannot read the lease: $!\n";
            my $ends = <$old>;
            die "cannot read the lease: $!\n" if $old->error;
            return if int($ends // 0) > time;
            unlink "$dir/lease" or die "cannot end the lease: $!\n";
        }
        if (!sysopen my $lease, "$dir/lease", O_WRONLY | O_CREAT | O_EXCL) {
            return if $! == EEXIST;
            die "cannot take the lease: $!\n";
        }
        else {
            print {$lease} $lasting and close $lease or die "cannot write the lease: $!\n";
        }
        open my $leads, '>', "$dir/leads.$worker" or die "cannot lead: $!\n";
    },
    recover => sub { unlink "$dir/lease" if !-e "$dir/leads.a" && !-e "$dir/leads.b" },
    check => sub {
        return if !-e "$dir/leads.a" || !-e "$dir/leads.b";
        print "Both workers lead.\n";
        exit 1;
    },
);
$verbs{$verb}->();
